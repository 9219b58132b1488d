// Copyright (C) Open Responses contributors
//
// validator.mjs PACKAGE: what openai.mjs does not ask for, through a validator:
// all that OpenAI's own API has besides responses, at the gateway ($BASE) and
// at aimock itself ($AIMOCK), and the responses that aimock makes, which lack
// much of what the specification requires.

import assert from 'node:assert/strict';
import { CITIES, PATIENCE, collect, run, test } from './run.mjs';
import { OpenAI, fails } from './tests.mjs';

const { BASE, AIMOCK } = process.env;

const HELLO = 'Hello from aimock! 🙂';

const about = { name: 'get_weather', strict: true, parameters: {
    type: 'object', additionalProperties: false,
    required: ['city', 'note'],
    properties: { city: { type: 'string' }, note: { type: 'string' } },
} };
const schema = { name: 'weather', strict: true, schema: {
    type: 'object', additionalProperties: false,
    required: ['city', 'degrees', 'rain'],
    properties: { city: { type: 'string' }, degrees: { type: 'number' },
                  rain: { type: 'boolean' } },
} };
const parsed = { city: 'Paris', degrees: 21.5, rain: false };

const client = (baseURL) => new OpenAI({
    baseURL, apiKey: 'test-key', maxRetries: 0, timeout: PATIENCE });
const chat = (content, more = {}) => ({
    model: 'aimock', messages: [{ role: 'user', content }], ...more });
const ask = (input, more = {}) => ({ model: 'aimock', input, ...more });


// ---- chat completions, embeddings and models, in both places


for (const [at, baseURL] of Object.entries({ gateway: BASE,
                                             aimock: AIMOCK })) {
    const { completions } = client(baseURL).chat;

    test(`${at}, chat: text`, async () => {
        const r = await completions.create(chat('say hello', {
            temperature: 0.5, max_completion_tokens: 50, n: 1, seed: 7,
            stop: ['never'], user: 'u1', logprobs: false }));

        assert.equal(r.choices[0].message.content, HELLO);
        assert.equal(r.model, 'aimock');
        assert.equal(r.object, 'chat.completion');
        assert.ok(r.usage.total_tokens > 0);
    });

    test(`${at}, chat: streamed`, async () => {
        const chunks = await collect(await completions.create(chat(
            'say hello', { stream: true,
                           stream_options: { include_usage: true } })));

        assert.equal(chunks.map((c) => c.choices[0]?.delta.content ?? '')
                     .join(''), HELLO);
        assert.ok(chunks.length > 3, 'chunks come as they are made');
        assert.ok(chunks.every((c) => c.model === 'aimock'));
    });

    test(`${at}, chat: stream helper`, async () => {
        const stream = completions.stream(chat('say hello'));

        assert.equal(await stream.finalContent(), HELLO);
    });

    test(`${at}, chat: tools and their answers`, async () => {
        const tools = [{ type: 'function', function: about }];
        const asked = chat('three cities', { tools });
        const r = await completions.stream(asked).finalChatCompletion();
        const { message } = r.choices[0];

        assert.deepEqual(message.tool_calls.map(
            (c) => JSON.parse(c.function.arguments).city), CITIES);

        const answer = await completions.create({ ...asked, messages: [
            ...asked.messages, message, ...message.tool_calls.map((c) => ({
                role: 'tool', tool_call_id: c.id, content: 'sun' }))] });

        assert.equal(answer.choices[0].message.content,
                     'The tools said: sun, sun, sun.');
    });

    test(`${at}, chat: structured output`, async () => {
        const r = await completions.create(chat('as json', {
            response_format: { type: 'json_schema', json_schema: schema } }));

        assert.deepEqual(JSON.parse(r.choices[0].message.content), parsed);
    });

    test(`${at}, chat: a request that is wrong`, () => fails(
        completions.create(chat('hi', { temperature: 'hot' })),
        'BadRequestError', 400, 'invalid_type'));

    test(`${at}, chat: a limit`, () => fails(
        completions.create(chat('error 429')), 'RateLimitError', 429,
        'rate_limit_exceeded'));

    test(`${at}, chat: a stream that is cut`, async () => {
        const stream = await completions.create(chat('cut',
                                                     { stream: true }));
        const chunks = [];

        await fails((async () => {
            for await (const chunk of stream) chunks.push(chunk);
        })(), 'APIError', undefined, 'upstream_disconnected');

        assert.ok(chunks.length > 1, 'there was some text before');
    });

    test(`${at}, embeddings`, async () => {
        const r = await client(baseURL).embeddings.create({
            model: 'aimock', input: 'some words', encoding_format: 'float' });

        assert.deepEqual(r.data[0].embedding, [0.5, -0.25, 1]);
        assert.equal(r.model, 'aimock');
    });

    test(`${at}, models`, async () => {
        const models = await collect(client(baseURL).models.list());

        assert.ok(models.length > 0);
        assert.ok(models.every((m) => m.object === 'model' && m.id));
    });
}


test('gateway, embeddings as bytes', async () => {
    const r = await client(BASE).embeddings.create({
        model: 'mock-vectors', input: ['one', 'two'], dimensions: 3 });

    assert.deepEqual(r.data.map((d) => Array.from(d.embedding)),
                     [[0.5, -0.25, 1], [0, 2, -4]]);
    assert.equal(r.model, 'mock-vectors');
});


test('gateway, models by their names', async () => {
    const models = await collect(client(BASE).models.list());

    assert.deepEqual(models.map((m) => m.id), ['aimock']);
});


// ---- aimock's own responses


const { responses } = client(AIMOCK);

test('aimock, text', async () => {
    const r = await responses.create(ask('say hello', { instructions: 'x' }));

    assert.equal(r.output_text, HELLO);
    assert.equal(r.status, 'completed');
    assert.deepEqual(r.tools, []);
    assert.equal(r.parallel_tool_calls, true);
    assert.equal(r.usage.output_tokens_details.reasoning_tokens, 0);
});


test('aimock, streamed', async () => {
    const events = await collect(await responses.create(
        ask('say hello', { stream: true })));

    assert.deepEqual(events.map((e) => e.sequence_number),
                     events.map((_, n) => n));
    assert.equal(events.at(-1).type, 'response.completed');
    assert.ok(events.filter((e) => e.type === 'response.output_text.delta')
              .every((e) => Array.isArray(e.logprobs)));
});


test('aimock, reasoning', async () => {
    const r = await responses.stream(ask('think')).finalResponse();

    assert.equal(r.output[0].summary[0].text, 'Six times seven. Long known.');
    assert.equal(r.output_text, 'It is 42.');
});


test('aimock, tools and their answers', async () => {
    const tools = [{ type: 'function', ...about }];
    const input = [{ role: 'user', content: 'three cities' }];
    const r = await responses.stream(ask(input, { tools })).finalResponse();

    assert.deepEqual(r.output.map((c) => JSON.parse(c.arguments).city),
                     CITIES);
    assert.deepEqual(r.tools, [{ description: null, ...tools[0] }]);

    const answer = await responses.create(ask([
        ...input, ...r.output, ...r.output.map((c) => ({
            type: 'function_call_output', call_id: c.call_id,
            output: 'sun' }))], { tools }));

    assert.equal(answer.output_text, 'The tools said: sun, sun, sun.');
});


test('aimock, structured output', async () => {
    const r = await responses.create(ask('as json', {
        text: { format: { type: 'json_schema', ...schema } } }));

    assert.deepEqual(JSON.parse(r.output_text), parsed);
});


for (const [status, name, code] of [
    [400, 'BadRequestError', 'context_length_exceeded'],
    [401, 'AuthenticationError', 'invalid_api_key'],
    [403, 'PermissionDeniedError', null],
    [404, 'NotFoundError', 'model_not_found'],
    [429, 'RateLimitError', 'rate_limit_exceeded'],
    [500, 'InternalServerError', null],
]) {
    test(`aimock, ${status}`, () => fails(
        responses.create(ask(`error ${status}`)), name, status, code));
}


test('aimock, a stream that is cut', () => fails(
    (async () => collect(await responses.create(
        ask('cut', { stream: true }))))(),
    'APIError', undefined, 'upstream_disconnected'));


// it ends by response.completed, and the response says that it is incomplete

test('aimock, a stream that contradicts itself', () => fails(
    (async () => collect(await responses.create(
        ask('count', { stream: true }))))(),
    'APIError', undefined, 'invalid_upstream_answer'));


await run();
