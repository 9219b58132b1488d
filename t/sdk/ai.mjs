// Copyright (C) Open Responses contributors
//
// ai.mjs PACKAGE: the AI SDK with the provider of that name against the
// server at $BASE.  Models whose names begin with "aimock" are aimock's, see
// there what it answers; the others are scripts of the test that started
// this.

import assert from 'node:assert/strict';
import { APICallError, Output, ToolChoiceViolationError, generateText,
         isStepCount, jsonSchema, streamText, tool } from 'ai';
import { CITIES, CODE, PATIENCE, noted, run, test } from './run.mjs';

const { BASE: baseURL } = process.env;
const NAME = process.argv[2];
const OPENAI = NAME === '@ai-sdk/openai';

const sdk = await import(NAME);

const provider = ({ base = baseURL, apiKey = 'test-key' } = {}) => OPENAI
    ? sdk.createOpenAI({ baseURL: base, apiKey }).responses
    : sdk.createOpenResponses({ name: 'gateway', url: `${base}/responses`,
                                apiKey });

// nothing is kept that an item_reference could mean, see the last of tools

const providerOptions = { openai: { store: false } };

const ask = (prompt, more = {}) => ({
    model: provider()(more.name ?? 'aimock'), prompt, maxRetries: 0,
    providerOptions, ...more });

const weather = tool({
    description: 'Weather of a city',
    inputSchema: jsonSchema({
        type: 'object', additionalProperties: false,
        required: ['city', 'note'],
        properties: { city: { type: 'string' }, note: { type: 'string' } },
    }),
    execute: ({ city }) => `sun in ${city}`,
});

const tools = { get_weather: weather };


// both ways give {text, ...} alike; a stream's parts come with it

async function streamed(options) {
    const parts = [];
    const result = streamText({ ...options, onError() {} });

    for await (const part of result.stream) {
        if (part.type === 'error') {
            throw Object.assign(part.error, { parts });
        }

        parts.push(part);
    }

    const done = { parts };

    for (const key of ['text', 'reasoningText', 'finishReason', 'steps',
                       'totalUsage', 'toolCalls']) {
        done[key] = await result[key];
    }

    if (options.output) done.output = await result.output;

    return done;
}


const ways = { plainly: generateText, streamed };

function both(name, body) {
    for (const [way, generate] of Object.entries(ways)) {
        test(`${name}, ${way}`, () => body(generate, way));
    }
}


async function fails(promise, status, message) {
    const error = await promise.then(
        () => assert.fail(`no error ${status}`), (e) => e);

    assert.ok(APICallError.isInstance(error), error.stack);
    assert.equal(error.statusCode, status);
    assert.match(error.message, message);

    return error;
}


// ---- text


both('text', async (generate) => {
    const r = await generate(ask('say hello'));

    assert.equal(r.text, 'Hello from aimock! 🙂');
    assert.equal(r.finishReason, 'stop');
    assert.ok(r.totalUsage.inputTokens > 0);
    assert.ok(r.totalUsage.outputTokens > 0);
    assert.equal(r.totalUsage.totalTokens,
                 r.totalUsage.inputTokens + r.totalUsage.outputTokens);
});


test('deltas come as they are made', async () => {
    const { parts } = await streamed(ask('say hello'));
    const deltas = parts.filter((part) => part.type === 'text-delta');

    assert.ok(deltas.length > 2);
    assert.equal(deltas.map((part) => part.text).join(''),
                 'Hello from aimock! 🙂');
    assert.equal(new Set(deltas.map((part) => part.id)).size, 1);
});


test('instructions and parameters', async () => {
    const r = await generateText(ask('Hi', {
        name: 'mock-text', instructions: 'Be brief.', temperature: 0.25 }));

    assert.equal(r.text, 'Hello');
});


both('what was said before', async (generate) => {
    const r = await generate({
        ...ask(), messages: [{ role: 'user', content: 'Hi' },
                   { role: 'assistant', content: 'So?' },
                   { role: 'user', content: 'say hello' }] });

    assert.equal(r.text, 'Hello from aimock! 🙂');
});


test('an image goes along', async () => {
    const r = await generateText({
        ...ask(undefined, { name: 'mock-image' }),
        messages: [{ role: 'user', content: [
            { type: 'text', text: 'What is it?' },
            { type: 'file', mediaType: 'image/png',
              data: 'iVBORw0KGgo=' }] }] });

    assert.equal(r.text, 'Hello');
});


both('cut by length', async (generate) => {
    const r = await generate(ask('count', { maxOutputTokens: 16 }));

    assert.equal(r.text, 'one, two, thr');
    assert.equal(r.finishReason, 'length');
});


both('reasoning', async (generate) => {
    const r = await generate(ask('think'));

    assert.equal(r.reasoningText, 'Six times seven. Long known.');
    assert.equal(r.text, 'It is 42.');
});


both('a refusal', async (generate, way) => {
    const asked = generate(ask('x', {
        name: way === 'streamed' ? 'mock-refusal-stream' : 'mock-refusal' }));

    // the other provider takes every part of a message for a text

    if (!OPENAI && way === 'plainly') {
        return assert.rejects(asked, TypeError);
    }

    const r = await asked;

    assert.equal(r.text, OPENAI ? 'I will not.' : '');
    assert.equal(r.finishReason, OPENAI ? 'content-filter' : 'stop');
});


// open_responses_refusal text

both('a refusal as a text', async (generate, way) => {
    const model = provider({ base: `${baseURL}/frank` });
    const r = await generate(ask('x', {
        model: model(way === 'streamed' ? 'mock-refusal-stream'
                                        : 'mock-refusal') }));

    assert.equal(r.text, 'I will not.');
    assert.equal(r.finishReason, 'stop');
});


both('reasoning as content', async (generate) => {
    const r = await generate(ask('think', {
        model: provider({ base: `${baseURL}/content` })('aimock') }));

    assert.equal(r.reasoningText,
                 OPENAI ? undefined : 'Six times seven. Long known.');
    assert.equal(r.text, 'It is 42.');
});


// ---- tools


async function round(generate, prompt, cities, text) {
    const r = await generate(ask(prompt, { tools, stopWhen: isStepCount(5) }));
    const calls = r.steps[0].toolCalls;

    assert.equal(r.steps.length, 2);
    assert.equal(r.steps[0].finishReason, 'tool-calls');
    assert.deepEqual(calls.map((call) => call.input),
                     cities.map((city) => ({
                         city, note: 'a "quoted" café 日本' })));
    assert.deepEqual(calls.map((call) => call.toolCallId),
                     cities.map((_, n) => `call_${n}`));
    assert.ok(calls.every((call) => call.toolName === 'get_weather'));
    assert.equal(r.text, text);

    return r;
}


both('a tool and its answer', (generate) => round(
    generate, 'one city', ['Paris'], 'The tools said: sun in Paris.'));

both('three tools at once', (generate) => round(
    generate, 'three cities', CITIES,
    'The tools said: sun in Paris, sun in Tokyo, sun in San José.'));

both('text before a tool', async (generate) => {
    const r = await round(generate, 'talk first', ['Oslo'],
                          'The tools said: sun in Oslo.');

    assert.equal(r.steps[0].text, 'Let me look.');
});

both('one tool after another', async (generate) => {
    const r = await generate(ask('city by city', {
        tools, stopWhen: isStepCount(5) }));

    assert.equal(r.steps.length, 3);
    assert.deepEqual(r.steps.map((s) => s.toolCalls[0]?.input.city),
                     ['Lima', 'Quito', undefined]);
    assert.equal(r.text, 'The tools said: sun in Lima, sun in Quito.');
});

test('a tool by force', async () => {
    const r = await generateText(ask('x', {
        name: 'mock-forced', tools,
        toolChoice: { type: 'tool', toolName: 'get_weather' } }));

    assert.equal(r.toolCalls[0].toolName, 'get_weather');
});


if (OPENAI) {
    both('a custom tool and its answer', async (generate) => {
        const r = await generate(ask('by text', {
            stopWhen: isStepCount(5),
            tools: { run: sdk.openai.tools.customTool({
                description: 'Runs a text',
                execute: (text) => `ran ${text}` }) } }));

        assert.equal(r.steps[0].toolCalls[0].input, CODE);
        assert.equal(r.text, `The tools said: ran ${CODE}.`);
    });

    both('a search for tools, and what it finds', async (generate) => {
        const r = await generate(ask('by search', {
            stopWhen: isStepCount(5),
            tools: { find: sdk.openai.tools.toolSearch({
                execution: 'client', description: 'Finds tools',
                parameters: { type: 'object', required: ['query'],
                              properties: { query: { type: 'string' } } },
                execute: async (input) => ({ tools: [{
                    type: 'function', name: `get_${input.arguments.query}`,
                    parameters: { type: 'object', properties: {} } }] }),
            }) } }));

        assert.deepEqual(r.steps[0].toolCalls[0].input,
                         { arguments: { query: 'weather' },
                           call_id: 'call_0' });
        assert.equal(r.text, 'The tools said: {"tools":["get_weather"]}.');
    });

    test('without store: false, references to what was not stored', () =>
        fails(generateText(ask('talk first', {
            tools, stopWhen: isStepCount(5), providerOptions: {} })),
            400, /reference to a stored item/));
}


// ---- structured output


both('structured output', async (generate) => {
    const r = await generate(ask('as json', { output: Output.object({
        name: 'weather',
        schema: jsonSchema({
            type: 'object', additionalProperties: false,
            required: ['city', 'degrees', 'rain'],
            properties: { city: { type: 'string' },
                          degrees: { type: 'number' },
                          rain: { type: 'boolean' } },
        }) }) }));

    assert.deepEqual(r.output, { city: 'Paris', degrees: 21.5, rain: false });
});


// ---- errors


both('401: a wrong key', (generate) => fails(
    generate({ ...ask('hi'), model: provider({ apiKey: 'wrong' })('aimock') }),
    401, /key/));

both('404: a model that is not there', async (generate) => {
    const error = await fails(generate(ask('hi', { name: 'nobody' })),
                              404, /nobody/);

    assert.equal(error.isRetryable, false);
});


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
    both(`${status} of the model server`, async (generate) => {
        const error = await fails(generate(ask(`error ${status}`)), status,
                                  text);

        assert.equal(JSON.parse(error.responseBody).error.code, code);
        assert.equal(error.isRetryable, status >= 429);

        if (status === 429) {
            assert.equal(error.responseHeaders['retry-after'], '7');
        }
    });
}


test('a cut answer', () => fails(
    generateText(ask('hi', { name: 'mock-cut-plain' })), 502, /./));


for (const name of ['mock-cut', 'mock-error', 'aimock']) {
    test(`a stream that fails, ${name}`, async () => {
        const error = await streamed(ask('cut', { name })).then(
            () => assert.fail('no error'), (e) => e);

        assert.equal(error.name, 'AI_StreamProviderError');
        assert.equal(error.code, name === 'mock-error'
            ? 'server_error' : 'upstream_disconnected');
        assert.match(error.message, name === 'mock-error'
            ? /broken/ : /before it was complete/);
        assert.ok(error.parts.some((part) => part.type === 'text-delta'),
                  'there was some text before');
    });
}


// ---- leaving early


test('a stream that is aborted', async () => {
    const stop = new AbortController();
    const { stream } = streamText(ask('x', {
        name: 'mock-hang-abort', abortSignal: stop.signal }));
    const seen = [];

    for await (const part of stream) {
        seen.push(part.type);
        if (part.type === 'text-delta') stop.abort();
    }

    assert.ok(seen.includes('abort'), `${seen}`);
    await noted('hang-abort-gone');
});


test('an answer that takes too long', async () => {
    await assert.rejects(generateText(ask('x', {
        name: 'mock-hang-plain', abortSignal: AbortSignal.timeout(300) })),
        { name: 'TimeoutError' });

    await noted('hang-plain-gone');
});


await run();
