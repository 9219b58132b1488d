// Copyright (C) Open Responses contributors
//
// langchain.mjs PACKAGE: LangChain's ChatOpenAI against the server at $BASE.
// Models whose names begin with "aimock" are aimock's, see there what it
// answers; the others are scripts of the test that started this.

import assert from 'node:assert/strict';
import { ContextOverflowError } from '@langchain/core/errors';
import { AIMessage, HumanMessage, SystemMessage,
         ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, customTool } from '@langchain/openai';
import { z } from 'zod';
import { CITIES, CODE, PATIENCE, noted, run, test } from './run.mjs';

const { BASE: baseURL } = process.env;

const chat = ({ base = baseURL, ...more } = {}) => new ChatOpenAI({
    model: 'aimock', useResponsesApi: true, maxRetries: 0, timeout: PATIENCE,
    apiKey: 'test-key', configuration: { baseURL: base }, ...more });

const weather = tool(({ city }) => `sun in ${city}`, {
    name: 'get_weather', description: 'Weather of a city',
    schema: z.object({ city: z.string(), note: z.string() }),
});


// both ways give a message; a stream's chunks come with it

const plainly = (model, input, more) => model.invoke(input, more);

async function streamed(model, input, more) {
    const chunks = [];
    let whole;

    for await (const chunk of await model.stream(input, more)) {
        chunks.push(chunk);
        whole = whole ? whole.concat(chunk) : chunk;
    }

    return Object.assign(whole, { chunks });
}


function both(name, body) {
    for (const [way, ask] of Object.entries({ plainly, streamed })) {
        test(`${name}, ${way}`, () => body(ask, way));
    }
}


async function fails(promise, status, code, more = {}) {
    const error = await promise.then(
        () => assert.fail(`no ${code}`), (e) => e);

    assert.equal(error.status, status, error.stack);
    assert.equal(error.code, code);
    assert.match(error.message, more.message ?? /./);
    assert.equal(error.lc_error_code, more.lc);

    return error;
}


// ---- text


both('text', async (ask) => {
    const r = await ask(chat(), 'say hello');
    const usage = r.usage_metadata;

    assert.equal(r.text, 'Hello from aimock! 🙂');
    assert.match(r.response_metadata.id, /^resp_/);
    assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0);
    assert.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens);
});


test('deltas come as they are made', async () => {
    const { chunks } = await streamed(chat(), 'say hello');
    const texts = chunks.map((chunk) => chunk.text).filter(Boolean);

    assert.ok(texts.length > 2);
    assert.equal(texts.join(''), 'Hello from aimock! 🙂');
});


test('instructions and parameters', async () => {
    const r = await chat({ model: 'mock-text', temperature: 0.25 })
        .invoke([new SystemMessage('Be brief.'), new HumanMessage('Hi')]);

    assert.equal(r.text, 'Hello');
});


both('what was said before', async (ask) => {
    const first = await ask(chat(), 'count');
    const r = await ask(chat(), [new HumanMessage('count'), first,
                                 new HumanMessage('say hello')]);

    assert.equal(r.text, 'Hello from aimock! 🙂');
});


test('an image goes along', async () => {
    const r = await chat({ model: 'mock-image' }).invoke([
        new HumanMessage({ content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: {
                url: 'data:image/png;base64,iVBORw0KGgo=' } }] })]);

    assert.equal(r.text, 'Hello');
});


both('cut by length', async (ask) => {
    const r = await ask(chat(), 'count');

    assert.equal(r.text, 'one, two, thr');
    assert.deepEqual(r.response_metadata.incomplete_details,
                     { reason: 'max_output_tokens' });
});


both('reasoning, and sent back', async (ask) => {
    const r = await ask(chat({ reasoning: { effort: 'low',
                                            summary: 'auto' } }), 'think');

    assert.equal(r.text, 'It is 42.');
    assert.equal(r.additional_kwargs.reasoning.summary
                     .map((part) => part.text).join(''),
                 'Six times seven. Long known.');

    const again = await ask(chat(), [new HumanMessage('think'), r,
                                     new HumanMessage('say hello')]);

    assert.equal(again.text, 'Hello from aimock! 🙂');
});


// which it does not read from a stream

both('reasoning as content', async (ask) => {
    const r = await ask(chat({ base: `${baseURL}/content` }), 'think');

    assert.equal(r.text, 'It is 42.');
    assert.equal(r.additional_kwargs.reasoning.content?.[0].text,
                 ask === plainly ? 'Six times seven. Long known.' : undefined);
});


both('a refusal', async (ask, way) => {
    const r = await ask(chat({ model: way === 'streamed'
        ? 'mock-refusal-stream' : 'mock-refusal' }), 'x');

    assert.equal(r.additional_kwargs.refusal, 'I will not.');
});


// ---- tools


async function round(ask, word, rounds, text) {
    const model = chat().bindTools([weather]);
    const messages = [new HumanMessage(word)];
    let count = 0;

    for (const cities of rounds) {
        const r = await ask(model, messages);

        assert.deepEqual(r.tool_calls.map(({ name, args, id }) =>
            ({ name, args, id })), cities.map((city) => ({
                name: 'get_weather', id: `call_${count++}`,
                args: { city, note: 'a "quoted" café 日本' } })));

        messages.push(r);

        for (const call of r.tool_calls) {
            messages.push(await weather.invoke(call));
        }
    }

    assert.ok(messages.at(-1) instanceof ToolMessage);
    assert.equal((await ask(model, messages)).text, text);

    return messages;
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
    const messages = await round(ask, 'talk first', [['Oslo']],
                                 'The tools said: sun in Oslo.');

    assert.equal(messages[1].text, 'Let me look.');
    assert.ok(AIMessage.isInstance(messages[1]));
});

both('a custom tool and its answer', async (ask) => {
    const run = customTool(async (text) => `ran ${text}`,
                           { name: 'run', description: 'Runs a text' });
    const model = chat().bindTools([run]);
    const first = new HumanMessage('by text');
    const r = await ask(model, [first]);
    const answer = await run.invoke(r.tool_calls[0]);
    const after = await ask(model, [first, r, answer]);

    assert.equal(after.text, `The tools said: ran ${CODE}.`);
});

test('a tool by force', async () => {
    const r = await chat({ model: 'mock-forced' })
        .bindTools([weather], { tool_choice: 'get_weather' }).invoke('x');

    assert.equal(r.tool_calls[0].name, 'get_weather');
});


// ---- structured output


both('structured output', async (ask) => {
    const model = chat().withStructuredOutput(
        z.object({ city: z.string(), degrees: z.number(),
                   rain: z.boolean() }),
        { name: 'weather', method: 'jsonSchema', strict: true });
    const expected = { city: 'Paris', degrees: 21.5, rain: false };

    if (ask === plainly) {
        return assert.deepEqual(await model.invoke('as json'), expected);
    }

    let last;

    for await (const object of await model.stream('as json')) last = object;
    assert.deepEqual(last, expected);
});


// ---- errors


both('401: a wrong key', (ask) => fails(
    ask(chat({ apiKey: 'wrong' }), 'hi'), 401, 'invalid_api_key',
    { lc: 'MODEL_AUTHENTICATION' }));

both('404: a model that is not there', (ask) => fails(
    ask(chat({ model: 'nobody' }), 'hi'), 404, 'model_not_found',
    { message: /nobody/, lc: 'MODEL_NOT_FOUND' }));


// requests that the model server refuses; a stream that has not begun is an
// answer

const refused = [
    [401, 'invalid_api_key', /who are you/, 'MODEL_AUTHENTICATION'],
    [404, 'model_not_found', /no such thing/, 'MODEL_NOT_FOUND'],
    [429, 'rate_limit_exceeded', /slow down/, 'MODEL_RATE_LIMIT'],
    [500, 'server_error', /broken/],
    [503, 'server_is_overloaded', /busy/],
];

for (const [status, code, message, lc] of refused) {
    both(`${status} of the model server`, async (ask) => {
        const error = await fails(ask(chat(), `error ${status}`), status,
                                  code, { message, lc });

        if (status === 429) {
            assert.equal(error.headers.get('retry-after'), '7');
        }
    });
}


// the class of its own for this is found by the text, which is passed on

both('400: a context that is too long', async (ask) => {
    await fails(ask(chat(), 'error 400'), 400, 'context_length_exceeded',
                { message: /that does not fit/ });
    await assert.rejects(
        ask(chat({ model: 'mock-long' }), 'x'),
        (error) => ContextOverflowError.isInstance(error)
                   && error.cause.status === 400
                   && error.cause.code === 'context_length_exceeded');
});


test('a cut answer', () => fails(
    plainly(chat({ model: 'mock-cut-plain' }), 'hi'), 502,
    'upstream_disconnected'));


for (const model of ['mock-cut', 'mock-error', 'aimock']) {
    test(`a stream that fails, ${model}`, () => fails(
        streamed(chat({ model }), 'cut'), undefined,
        model === 'mock-error' ? 'server_error' : 'upstream_disconnected',
        { message: model === 'mock-error' ? /broken/
                                          : /before it was complete/ }));
}


// ---- leaving early


test('a stream that is left', async () => {
    for await (const chunk of await chat({ model: 'mock-hang-stream' })
                                    .stream('x')) {
        if (chunk.text) break;
    }

    await noted('hang-stream-gone');
});


test('a stream that is aborted', async () => {
    const stop = new AbortController();

    await assert.rejects(async () => {
        for await (const chunk of await chat({ model: 'mock-hang-abort' })
                                        .stream('x',
                                                { signal: stop.signal })) {
            if (chunk.text) stop.abort();
        }
    }, { name: 'AbortError' });

    await noted('hang-abort-gone');
});


test('an answer that takes too long', async () => {
    await assert.rejects(
        chat({ model: 'mock-hang-plain', timeout: 300 }).invoke('x'),
        { name: 'TimeoutError' });
    await noted('hang-plain-gone');
});


await run();
