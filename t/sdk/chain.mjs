// Copyright (C) Open Responses contributors
//
// chain.mjs PACKAGE: conversations that the server at $BASE keeps, each turn
// with what is new in it alone.  The model calls a tool until it has as many
// outputs as it was asked for.

import assert from 'node:assert/strict';
import { PATIENCE, collect, run, test } from './run.mjs';
import { OpenAI, fails } from './tests.mjs';

const ROUNDS = 20;

const customer = (apiKey) => new OpenAI({
    baseURL: process.env.BASE, apiKey, maxRetries: 0, timeout: PATIENCE });

const alice = customer('alice');
const bob = customer('bob');

const more = (response, input) => ({
    model: 'm', input, tools: [{ type: 'function', name: 'step',
                                 parameters: { type: 'object' } }],
    ...(response && { previous_response_id: response.id }) });

const outputs = (response) => response.output
    .filter((item) => item.type === 'function_call')
    .map((item) => ({ type: 'function_call_output', call_id: item.call_id,
                      output: `done ${JSON.parse(item.arguments).n}` }));

const create = (request) => alice.responses.create(request);

const stream = async (request) => {
    const events = await collect(
        await alice.responses.create({ ...request, stream: true }));

    assert.equal(events.at(-1).type, 'response.completed');
    return events.at(-1).response;
};


for (const [name, ask] of Object.entries({ create, stream })) {
    test(`${ROUNDS} rounds of a tool: ${name}`, async () => {
        let response = await ask(more(null, `${ROUNDS} steps`));
        const seen = new Set();

        for (let n = 0; n < ROUNDS; n++) {
            assert.equal(response.store, true);
            assert.equal(response.output[0].type, 'function_call');
            assert.ok(!seen.has(response.id));
            seen.add(response.id);

            const next = await ask(more(response, outputs(response)));

            assert.equal(next.previous_response_id, response.id);
            response = next;
        }

        assert.equal(response.output_text ?? response.output[0].content[0]
            .text, `after ${ROUNDS} steps`);

        const last = await ask(more(response, 'how many?'));

        assert.equal(last.output[0].content[0].text, `after ${ROUNDS} steps`);

        await fails(bob.responses.create(more(response, 'how many?')),
                    'BadRequestError', 400, 'previous_response_not_found',
                    { param: 'previous_response_id' });
    });
}


test('two branches of one conversation', async () => {
    const root = await create(more(null, '2 steps'));
    const left = await create(more(root, outputs(root)));
    const right = await create(more(root, outputs(root)));
    const [a, b] = await Promise.all([
        create(more(left, outputs(left))),
        stream(more(right, outputs(right)))]);

    assert.equal(a.output[0].content[0].text, 'after 2 steps');
    assert.equal(b.output[0].content[0].text, 'after 2 steps');
});


test('nothing is kept of store: false', async () => {
    const response = await create({ ...more(null, '1 step'), store: false });

    assert.equal(response.store, false);

    await fails(create(more(response, outputs(response))),
                'BadRequestError', 400, 'previous_response_not_found');
});


await run();
