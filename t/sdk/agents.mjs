// Copyright (C) Open Responses contributors
//
// agents.mjs PACKAGE: OpenAI's Agents SDK against the server at $BASE.
// Models whose names begin with "aimock" are aimock's, see there what it
// answers; the others are scripts of the test that started this.

import assert from 'node:assert/strict';
import { Agent, ModelBehaviorError, ModelRefusalError, OpenAIProvider,
         Runner, tool } from '@openai/agents';
import { OpenAI } from 'openai';
import { z } from 'zod';
import { CITIES, PATIENCE, collect, noted, run, test } from './run.mjs';

const { BASE: baseURL } = process.env;

const runner = ({ base = baseURL, apiKey = 'test-key' } = {}) => new Runner({
    tracingDisabled: true,
    modelProvider: new OpenAIProvider({
        useResponses: true,
        openAIClient: new OpenAI({ baseURL: base, apiKey, maxRetries: 0,
                                   timeout: PATIENCE }) }) });

const agent = (more = {}) => new Agent({ name: 'clerk', model: 'aimock',
                                         ...more });

const weather = tool({
    name: 'get_weather', description: 'Weather of a city',
    parameters: z.object({ city: z.string(), note: z.string() }),
    execute: ({ city }) => `sun in ${city}`,
});


// both ways give {finalOutput, newItems, rawResponses}; a stream's events
// come with it

const plainly = (who, input, more) => runner().run(who, input, more);

async function streamed(who, input, more) {
    const result = await runner().run(who, input, { ...more, stream: true });

    result.events = await collect(result);
    await result.completed;

    return result;
}


function both(name, body) {
    for (const [way, ask] of Object.entries({ plainly, streamed })) {
        test(`${name}, ${way}`, () => body(ask, way));
    }
}


async function fails(promise, status, code, message = /./) {
    const error = await promise.then(
        () => assert.fail(`no ${code}`), (e) => e);

    assert.ok(error instanceof OpenAI.APIError, error.stack);
    assert.equal(error.status, status);
    assert.equal(error.code, code);
    assert.match(error.message, message);

    return error;
}


const ofType = (result, type) =>
    result.newItems.filter((item) => item.type === type);


// ---- text


both('text', async (ask) => {
    const r = await ask(agent(), 'say hello');
    const { usage, responseId } = r.rawResponses[0];

    assert.equal(r.finalOutput, 'Hello from aimock! 🙂');
    assert.match(responseId, /^resp_/);
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
    assert.equal(usage.totalTokens, usage.inputTokens + usage.outputTokens);
});


test('deltas come as they are made', async () => {
    const { events } = await streamed(agent(), 'say hello');
    const deltas = events
        .filter((e) => e.type === 'raw_model_stream_event'
                       && e.data.type === 'output_text_delta')
        .map((e) => e.data.delta);

    assert.ok(deltas.length > 2);
    assert.equal(deltas.join(''), 'Hello from aimock! 🙂');
});


test('instructions and parameters', async () => {
    const r = await plainly(agent({
        model: 'mock-text', instructions: 'Be brief.',
        modelSettings: { temperature: 0.25 } }), 'Hi');

    assert.equal(r.finalOutput, 'Hello');
});


test('an image goes along', async () => {
    const r = await plainly(agent({ model: 'mock-image' }), [
        { role: 'user', content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image',
              image: 'data:image/png;base64,iVBORw0KGgo=' }] }]);

    assert.equal(r.finalOutput, 'Hello');
});


both('reasoning, and sent back', async (ask) => {
    const r = await ask(agent({ modelSettings: {
        reasoning: { effort: 'low', summary: 'auto' } } }), 'think');
    const [item] = ofType(r, 'reasoning_item');

    assert.equal(item.rawItem.content[0].text,
                 'Six times seven. Long known.');
    assert.equal(r.finalOutput, 'It is 42.');

    const again = await ask(agent(), [
        ...r.history, { role: 'user', content: 'say hello' }]);

    assert.equal(again.finalOutput, 'Hello from aimock! 🙂');
});


test('reasoning as content', async () => {
    const r = await runner({ base: `${baseURL}/content` })
        .run(agent(), 'think');
    const [item] = ofType(r, 'reasoning_item');

    assert.deepEqual(item.rawItem.content, []);
    assert.equal(item.rawItem.providerData.content[0].text,
                 'Six times seven. Long known.');
    assert.equal(r.finalOutput, 'It is 42.');
});


both('a refusal', (ask, way) => assert.rejects(
    ask(agent({ model: way === 'streamed' ? 'mock-refusal-stream'
                                          : 'mock-refusal' }), 'x'),
    (error) => error instanceof ModelRefusalError
               && error.refusal === 'I will not.'));


both('cut by length, which is an error here', (ask) => assert.rejects(
    ask(agent(), 'count'),
    (error) => error instanceof ModelBehaviorError
               && error.message.includes('response.incomplete')));


// ---- tools


async function round(ask, word, rounds, text) {
    const r = await ask(agent({ tools: [weather] }), word);
    const calls = ofType(r, 'tool_call_item').map((item) => item.rawItem);
    const cities = rounds.flat();

    assert.equal(r.rawResponses.length, rounds.length + 1);
    assert.deepEqual(calls.map((call) => JSON.parse(call.arguments)),
                     cities.map((city) => ({
                         city, note: 'a "quoted" café 日本' })));
    assert.deepEqual(calls.map((call) => call.callId),
                     cities.map((_, n) => `call_${n}`));
    assert.ok(calls.every((call) => call.name === 'get_weather'));
    assert.deepEqual(ofType(r, 'tool_call_output_item').map((i) => i.output),
                     cities.map((city) => `sun in ${city}`));
    assert.equal(r.finalOutput, text);

    return r;
}


both('a tool and its answer', (ask) => round(
    ask, 'one city', [['Paris']], 'The tools said: sun in Paris.'));

both('three tools at once', (ask) => round(
    ask, 'three cities', [CITIES],
    'The tools said: sun in Paris, sun in Tokyo, sun in San José.'));

both('one tool after another', (ask) => round(
    ask, 'city by city', [['Lima'], ['Quito']],
    'The tools said: sun in Lima, sun in Quito.'));

both('text before a tool', async (ask) => {
    const r = await round(ask, 'talk first', [['Oslo']],
                          'The tools said: sun in Oslo.');

    assert.equal(ofType(r, 'message_output_item')[0].content,
                 'Let me look.');
});


both('an agent hands over to another', async (ask) => {
    const expert = agent({ name: 'expert', tools: [weather] });
    const r = await ask(agent({ handoffs: [expert] }), 'hand over');

    assert.equal(r.lastAgent.name, 'expert');
    assert.match(r.finalOutput, /^The tools said: .*expert/);
});


// ---- structured output


both('structured output', async (ask) => {
    const r = await ask(agent({ outputType: z.object({
        city: z.string(), degrees: z.number(), rain: z.boolean() }) }),
        'as json');

    assert.deepEqual(r.finalOutput,
                     { city: 'Paris', degrees: 21.5, rain: false });
});


// ---- errors


test('401: a wrong key', () => fails(
    runner({ apiKey: 'wrong' }).run(agent(), 'hi'), 401, 'invalid_api_key'));

both('404: a model that is not there', (ask) => fails(
    ask(agent({ model: 'nobody' }), 'hi'), 404, 'model_not_found', /nobody/));


// requests that the model server refuses; a stream that has not begun is an
// answer

const refused = [
    [400, 'context_length_exceeded', /that does not fit/],
    [401, 'invalid_api_key', /who are you/],
    [404, 'model_not_found', /no such thing/],
    [429, 'rate_limit_exceeded', /slow down/],
    [500, 'server_error', /broken/],
    [503, 'server_is_overloaded', /busy/],
];

for (const [status, code, text] of refused) {
    both(`${status} of the model server`, async (ask) => {
        const error = await fails(ask(agent(), `error ${status}`), status,
                                  code, text);

        if (status === 429) {
            assert.equal(error.headers.get('retry-after'), '7');
        }
    });
}


test('a cut answer', () => fails(
    plainly(agent({ model: 'mock-cut-plain' }), 'hi'), 502,
    'upstream_disconnected'));


for (const model of ['mock-cut', 'mock-error', 'aimock']) {
    test(`a stream that fails, ${model}`, () => fails(
        streamed(agent({ model }), 'cut'), undefined,
        model === 'mock-error' ? 'server_error' : 'upstream_disconnected',
        model === 'mock-error' ? /broken/ : /before it was complete/));
}


// ---- leaving early


test('a stream that is aborted', async () => {
    const stop = new AbortController();
    const result = await runner().run(agent({ model: 'mock-hang-abort' }),
                                      'x', { stream: true,
                                             signal: stop.signal });
    let text = '';

    for await (const event of result) {
        if (event.data?.type !== 'output_text_delta') continue;

        text += event.data.delta;
        stop.abort();
    }

    assert.equal(text, 'a');
    await noted('hang-abort-gone');
});


test('an answer that takes too long', async () => {
    await assert.rejects(plainly(agent({ model: 'mock-hang-plain' }), 'x',
                                 { signal: AbortSignal.timeout(300) }));
    await noted('hang-plain-gone');
});


await run();
