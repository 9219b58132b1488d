// Copyright (C) Open Responses contributors
//
// openai.mjs PACKAGE: the SDK of that name against the server at $BASE.
// Models whose names begin with "aimock" are aimock's, see there what it
// answers; the others are scripts of the test that started this.  $DIR is
// where those scripts leave their notes.

import assert from 'node:assert/strict';
import { CITIES, CODE, PATIENCE, collect, noted, run,
         test } from './run.mjs';
import { OpenAI, fails } from './tests.mjs';

const { BASE: baseURL } = process.env;

const LONG = 'Zażółć gęślą jaźń 🙂 "quoted" \\ tab\t\n'.repeat(4000);

const weather = {
    type: 'function', name: 'get_weather', description: 'Weather of a city',
    strict: true,
    parameters: {
        type: 'object', additionalProperties: false,
        required: ['city', 'note'],
        properties: { city: { type: 'string' }, note: { type: 'string' } },
    },
};

const client = new OpenAI({ baseURL, apiKey: 'test-key', maxRetries: 0,
                            timeout: PATIENCE });
const ask = (input, more = {}) => ({ model: 'aimock', input, ...more });


const texts = (events, type) =>
    events.filter((e) => e.type === type).map((e) => e.delta).join('');


// outputs of the tools, in the order of the calls

const outputs = (response) => response.output
    .filter((item) => item.type === 'function_call')
    .map((item) => ({
        type: 'function_call_output', call_id: item.call_id,
        output: `sun in ${JSON.parse(item.arguments).city}`,
    }));


function checkCalls(response, cities) {
    const calls = response.output.filter((i) => i.type === 'function_call');

    assert.deepEqual(calls.map((c) => JSON.parse(c.arguments)),
                     cities.map((city) => ({
                         city, note: 'a "quoted" café 日本' })));

    for (const [n, call] of calls.entries()) {
        assert.equal(call.name, 'get_weather');
        assert.equal(call.call_id, `call_${n}`);
        assert.match(call.id, /^fc_/);
        assert.equal(call.status, 'completed');
    }
}


// ---- text


test('text', async () => {
    const r = await client.responses.create(ask('say hello'));

    assert.equal(r.output_text, 'Hello from aimock! 🙂');
    assert.equal(r.object, 'response');
    assert.equal(r.status, 'completed');
    assert.equal(r.model, 'aimock');
    assert.equal(r.error, null);
    assert.match(r.id, /^resp_/);
    assert.ok(Math.abs(r.created_at - Date.now() / 1000) < 60);
    assert.ok(r.usage.input_tokens > 0 && r.usage.output_tokens > 0);
    assert.equal(r.usage.total_tokens,
                 r.usage.input_tokens + r.usage.output_tokens);
    assert.equal(r.output.length, 1);
    assert.equal(r.output[0].role, 'assistant');
    assert.deepEqual(r.output[0].content[0].annotations, []);
});


test('text, streamed', async () => {
    const events = await collect(await client.responses.create(
        ask('say hello', { stream: true })));
    const last = events.at(-1);

    assert.deepEqual(events.map((e) => e.sequence_number),
                     events.map((_, n) => n));
    assert.equal(events[0].type, 'response.created');
    assert.equal(last.type, 'response.completed');
    assert.equal(last.response.id, events[0].response.id);
    assert.ok(last.response.usage.output_tokens > 0);
    assert.ok(events.filter((e) => e.type === 'response.output_text.delta')
              .length > 2, 'deltas come as they are made');
    assert.equal(texts(events, 'response.output_text.delta'),
                 'Hello from aimock! 🙂');
    assert.equal(last.response.output[0].content[0].text,
                 'Hello from aimock! 🙂');
});


test('stream helper', async () => {
    const stream = client.responses.stream(ask('say hello'));
    const seen = [];

    stream.on('response.output_text.delta', (e) => seen.push(e.snapshot));

    const r = await stream.finalResponse();

    assert.equal(r.output_text, 'Hello from aimock! 🙂');
    assert.equal(seen.at(-1), r.output_text);
    assert.ok(seen.length > 2);
    assert.equal(r.status, 'completed');
});


test('stream helper as an iterator', async () => {
    const events = await collect(client.responses.stream(ask('say hello')));

    assert.equal(events.at(-1).type, 'response.completed');
});


test('a long text, both ways', async () => {
    const [plain, streamed] = await Promise.all([
        client.responses.create(ask('say much')),
        client.responses.stream(ask('say much')).finalResponse()]);

    assert.equal(plain.output_text, LONG);
    assert.equal(streamed.output_text, LONG);
});


test('a long input', async () => {
    const r = await client.responses.create(ask([
        { role: 'user', content: LONG },
        { role: 'assistant', content: 'So?' },
        { role: 'user', content: [
            { type: 'input_text', text: 'say ' },
            { type: 'input_text', text: 'hello' }] }]));

    assert.equal(r.output_text, 'Hello from aimock! 🙂');
});


test('instructions, roles and parameters', async () => {
    const r = await client.responses.create({
        model: 'mock-text', instructions: 'Be brief.', temperature: 0.25,
        top_p: 0.5, max_output_tokens: 100, parallel_tool_calls: false,
        metadata: { ticket: '7' }, tools: [weather], tool_choice: 'auto',
        input: [{ role: 'developer', content: 'Speak up.' },
                { role: 'user', content: 'Hi' }],
    });

    assert.equal(r.output_text, 'Hello');
    assert.equal(r.instructions, 'Be brief.');
    assert.equal(r.temperature, 0.25);
    assert.equal(r.top_p, 0.5);
    assert.equal(r.max_output_tokens, 100);
    assert.equal(r.parallel_tool_calls, false);
    assert.equal(r.tool_choice, 'auto');
    assert.deepEqual(r.metadata, { ticket: '7' });
    assert.deepEqual(r.tools, [weather]);
});


test('an image goes along', async () => {
    const r = await client.responses.create({
        model: 'mock-image', input: [{ role: 'user', content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image', detail: 'low',
              image_url: 'data:image/png;base64,iVBORw0KGgo=' }] }],
    });

    assert.equal(r.output_text, 'Hello');
});


test('many at once', async () => {
    const all = await Promise.all(Array.from({ length: 24 }, (_, n) =>
        n % 2 ? client.responses.create(ask('say hello'))
              : client.responses.stream(ask('say hello')).finalResponse()));

    assert.equal(new Set(all.map((r) => r.id)).size, 24);
    assert.ok(all.every((r) => r.output_text === 'Hello from aimock! 🙂'));
});


// ---- the end of an answer


test('cut by length', async () => {
    const r = await client.responses.create(
        ask('count', { max_output_tokens: 16 }));

    assert.equal(r.status, 'incomplete');
    assert.equal(r.incomplete_details.reason, 'max_output_tokens');
    assert.equal(r.output_text, 'one, two, thr');
});


test('cut by length, streamed', async () => {
    const events = await collect(await client.responses.create(
        ask('count', { stream: true })));
    const last = events.at(-1);

    assert.equal(last.type, 'response.incomplete');
    assert.equal(last.response.status, 'incomplete');
    assert.equal(last.response.incomplete_details.reason,
                 'max_output_tokens');
    assert.equal(texts(events, 'response.output_text.delta'),
                 'one, two, thr');
});


test('cut by length, stream helper', async () => {
    const r = await client.responses.stream(ask('count')).finalResponse();

    assert.equal(r.status, 'incomplete');
    assert.equal(r.output[0].content[0].text, 'one, two, thr');
});


test('a refusal', async () => {
    const r = await client.responses.create({ model: 'mock-refusal',
                                              input: 'x' });
    const events = await collect(await client.responses.create({
        model: 'mock-refusal-stream', input: 'x', stream: true }));

    assert.equal(r.output[0].content[0].type, 'refusal');
    assert.equal(r.output[0].content[0].refusal, 'I will not.');
    assert.equal(texts(events, 'response.refusal.delta'), 'I will not.');
});


// ---- reasoning


test('reasoning', async () => {
    const r = await client.responses.create(ask('think'));
    const [reasoning, message] = r.output;

    assert.equal(reasoning.type, 'reasoning');
    assert.equal(reasoning.summary[0].text, 'Six times seven. Long known.');
    assert.equal(message.content[0].text, 'It is 42.');
});


test('reasoning, streamed, and sent back', async () => {
    const stream = client.responses.stream(
        ask('think', { reasoning: { effort: 'low', summary: 'auto' } }));
    const events = await collect(stream);
    const r = await stream.finalResponse();

    assert.equal(texts(events, 'response.reasoning_summary_text.delta'),
                 'Six times seven. Long known.');
    assert.equal(r.output_text, 'It is 42.');

    const again = await client.responses.create(ask([
        { role: 'user', content: 'think' }, ...r.output,
        { role: 'user', content: 'say hello' }]));

    assert.equal(again.output_text, 'Hello from aimock! 🙂');
});


// ---- tools


async function round(create, word, cities, answer) {
    const input = [{ role: 'user', content: word }];
    const r = await create(ask(input, { tools: [weather] }));

    assert.equal(r.status, 'completed');
    checkCalls(r, cities);

    input.push(...r.output, ...outputs(r));

    const after = await create(ask(input, { tools: [weather] }));

    assert.equal(after.output_text, answer);
    return r;
}


const plainly = (body) => client.responses.create(body);
const helped = (body) => client.responses.stream(body).finalResponse();

async function streamed(body) {
    const events = await collect(await client.responses.create(
        { ...body, stream: true }));
    const { response } = events.at(-1);

    for (const [n, item] of response.output.entries()) {
        if (item.type === 'message') continue;

        const own = events.filter((e) => e.output_index === n);
        const added = own.find((e) => e.type === 'response.output_item.added');
        const deltas = texts(own, item.type === 'custom_tool_call'
            ? 'response.custom_tool_call_input.delta'
            : 'response.function_call_arguments.delta');

        assert.equal(added.item.name, item.name);
        assert.equal(added.item.call_id, item.call_id);
        assert.equal(deltas, item.arguments ?? item.input);
        assert.ok(own.every((e) => (e.item_id ?? e.item.id) === item.id));
    }

    response.output_text = texts(events, 'response.output_text.delta');
    return response;
}


for (const [name, create] of Object.entries({ plainly, streamed, helped })) {
    test(`a tool and its answer, ${name}`, () => round(
        create, 'one city', ['Paris'], 'The tools said: sun in Paris.'));

    test(`three tools at once, ${name}`, () => round(
        create, 'three cities', CITIES,
        'The tools said: sun in Paris, sun in Tokyo, sun in San José.'));

    test(`text before a tool, ${name}`, async () => {
        const r = await round(create, 'talk first', ['Oslo'],
                              'The tools said: sun in Oslo.');

        assert.deepEqual(r.output.map((item) => item.type),
                         ['message', 'function_call']);
    });

    test(`a custom tool and its answer, ${name}`, async () => {
        const tools = [{ type: 'custom', name: 'run', description: 'Runs' }];
        const input = [{ role: 'user', content: 'by text' }];
        const r = await create(ask(input, { tools }));
        const [call] = r.output;

        assert.equal(call.type, 'custom_tool_call');
        assert.equal(call.name, 'run');
        assert.equal(call.input, CODE);

        input.push(call, { type: 'custom_tool_call_output',
                           call_id: call.call_id, output: 'it ran' });

        const after = await create(ask(input, { tools }));

        assert.equal(after.output_text, 'The tools said: it ran.');
    });
}


test('a tool by force', async () => {
    const r = await client.responses.create({
        model: 'mock-forced', input: 'x', tools: [weather],
        tool_choice: { type: 'function', name: 'get_weather' } });

    assert.equal(r.output[0].name, 'get_weather');
});


// ---- structured output


const format = {
    type: 'json_schema', name: 'weather', strict: true,
    schema: {
        type: 'object', additionalProperties: false,
        required: ['city', 'degrees', 'rain'],
        properties: { city: { type: 'string' },
                      degrees: { type: 'number' },
                      rain: { type: 'boolean' } },
    },
};
const parsed = { city: 'Paris', degrees: 21.5, rain: false };

// the format that the helpers for zod and others make of a schema

const parseable = Object.defineProperties({ ...format }, {
    $brand: { value: 'auto-parseable-response-format' },
    $parseRaw: { value: (text) => JSON.parse(text) },
});


test('structured output', async () => {
    const r = await client.responses.parse(
        ask('as json', { text: { format: parseable } }));

    assert.deepEqual(r.output_parsed, parsed);
    assert.equal(r.text.format.type, 'json_schema');
    assert.equal(r.text.format.name, 'weather');
});


test('structured output, stream helper', async () => {
    const r = await client.responses.stream(
        ask('as json', { text: { format: parseable } })).finalResponse();

    assert.deepEqual(r.output_parsed, parsed);
});


// ---- errors


test('400: a value of the wrong type', () => fails(
    client.responses.create(ask('hi', { temperature: 'hot' })),
    'BadRequestError', 400, 'invalid_type',
    { param: 'temperature', type: 'invalid_request' }));

test('400: a stream that is never begun', () => fails(
    client.responses.create(ask('hi', { top_logprobs: 21, stream: true })),
    'BadRequestError', 400, 'integer_above_max_value',
    { param: 'top_logprobs' }));

test('400: a response that is not known', () => fails(
    client.responses.create(ask('hi', { previous_response_id: 'resp_1' })),
    'BadRequestError', 400, 'previous_response_not_found',
    { param: 'previous_response_id' }));

test('401: a wrong key', () => fails(
    new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 })
        .responses.create(ask('hi')),
    'AuthenticationError', 401, 'invalid_api_key'));

test('404: a model that is not there', () => fails(
    client.responses.create({ model: 'nobody', input: 'hi' }),
    'NotFoundError', 404, 'model_not_found',
    { param: 'model', message: /nobody/ }));

test('404: a response that is not kept', () => fails(
    client.responses.retrieve('resp_1'), 'NotFoundError', 404, 'not_found'));

test('429: a limit of nginx', async () => {
    const limited = new OpenAI({ baseURL: `${baseURL}/limited`,
                                 apiKey: 'test-key', maxRetries: 0 });

    await limited.responses.create(ask('say hello'));
    await fails(limited.responses.create(ask('say hello')),
                'RateLimitError', 429, 'rate_limit_exceeded');
});


// requests that the model server refuses; a stream that has not begun is an
// answer

const refused = [
    [400, 'BadRequestError', 'context_length_exceeded',
     'that does not fit'],
    [404, 'NotFoundError', 'model_not_found', 'no such thing'],
    [429, 'RateLimitError', 'rate_limit_exceeded', 'slow down'],
    [500, 'InternalServerError', 'server_error', 'broken'],
    [503, 'InternalServerError', 'server_is_overloaded', 'busy'],
];

for (const [status, name, code, text] of refused) {
    for (const stream of [false, true]) {
        test(`${status} of the model server${stream ? ', streamed' : ''}`,
             async () => {
                 const error = await fails(
                     client.responses.create(ask(`error ${status}`,
                                                 { stream })),
                     name, status, code, { message: new RegExp(text) });

                 if (status === 429) {
                     assert.equal(error.headers.get('retry-after'), '7');
                 }
             });
    }
}


test('a cut answer', () => fails(
    client.responses.create({ model: 'mock-cut-plain', input: 'hi' }),
    'InternalServerError', 502, 'upstream_disconnected'));


for (const model of ['mock-cut', 'mock-error', 'aimock']) {
    const body = { model, input: 'cut', stream: true };

    test(`a stream that fails, ${model}`, async () => {
        const stream = await client.responses.create(body);
        const events = [];

        await fails((async () => {
            for await (const event of stream) events.push(event);
        })(), 'APIError', undefined,
            model === 'mock-error' ? 'server_error' : 'upstream_disconnected',
            { message: /./ });

        assert.ok(events.some((e) => e.type === 'response.output_text.delta'),
                  'there was some text before');
    });

    test(`a stream that fails, ${model}, stream helper`, async () => {
        const stream = client.responses.stream(body);
        const seen = [];

        stream.on('error', (error) => seen.push(error));

        await assert.rejects(stream.finalResponse(), OpenAI.APIError);
        assert.equal(seen.length, 1);
    });
}


// ---- retries


test('a 429 with retry-after is tried again, and not too early', async () => {
    const again = new OpenAI({ baseURL, apiKey: 'test-key', maxRetries: 1 });
    const start = Date.now();
    const r = await again.responses.create({ model: 'mock-busy', input: 'x' });

    assert.equal(r.output_text, 'Hello');
    assert.ok(Date.now() - start >= 1000, 'retry-after was obeyed');
});


test('a 503 is tried again, a 400 is not', async () => {
    const again = new OpenAI({ baseURL, apiKey: 'test-key', maxRetries: 1 });
    const stream = await again.responses.create({ model: 'mock-down',
                                                  input: 'x', stream: true });

    assert.equal((await collect(stream)).at(-1).type, 'response.completed');

    await fails(again.responses.create({ model: 'mock-no', input: 'x' }),
                'BadRequestError', 400, 'invalid_request_error');
});


// ---- compaction


test('a conversation is compacted, and goes on', async () => {
    const input = [{ role: 'user', content: 'Hi' },
                   { role: 'assistant', content: 'Hello' }];
    const c = await client.responses.compact({ model: 'mock-summary', input });

    assert.equal(c.object, 'response.compaction');
    assert.match(c.id, /^resp_/);
    assert.ok(Math.abs(c.created_at - Date.now() / 1000) < 60);
    assert.ok(c.usage.total_tokens > 0);
    assert.deepEqual(c.output.map((item) => item.type), ['compaction']);

    const r = await client.responses.create({
        model: 'mock-summary',
        input: [...c.output, { role: 'user', content: 'Go on' }] });

    assert.equal(r.output_text, 'Hello');
});


test('a compaction in a stream', async () => {
    const events = await collect(await client.responses.create({
        model: 'mock-trigger', stream: true,
        input: [{ role: 'user', content: 'Hi' },
                { type: 'compaction_trigger' }] }));

    assert.deepEqual(events.map((e) => e.type), [
        'response.created', 'response.in_progress',
        'response.output_item.added', 'response.output_item.done',
        'response.completed']);
    assert.equal(events.at(-2).item.type, 'compaction');
    assert.deepEqual(events.at(-1).response.output, [events.at(-2).item]);
});


test('a compaction in front of an answer', async () => {
    const response = await client.responses.stream({
        model: 'mock-due', store: false,
        context_management: [{ type: 'compaction', compact_threshold: 1000 }],
        input: [{ role: 'user', content: 'Hi '.repeat(2000) },
                { role: 'assistant', content: 'Hello' },
                { role: 'user', content: 'Go on' }] }).finalResponse();

    assert.deepEqual(response.output.map((item) => item.type),
                     ['compaction', 'message']);
    assert.equal(response.output_text, 'Hello');
});


// ---- a count


test('the tokens of a request', async () => {
    const c = await client.responses.inputTokens.count({
        model: 'mock-count', input: 'Hi', instructions: 'Be brief.' });

    assert.deepEqual([c.object, c.input_tokens],
                     ['response.input_tokens', 7]);
});


// ---- leaving early


test('a stream that is left', async () => {
    const stream = await client.responses.create({
        model: 'mock-hang-stream', input: 'x', stream: true });

    for await (const event of stream) {
        if (event.type === 'response.output_text.delta') break;
    }

    await noted('hang-stream-gone');
});


test('a stream that is aborted', async () => {
    const stream = client.responses.stream({ model: 'mock-hang-abort',
                                             input: 'x' });

    stream.once('response.output_text.delta', () => stream.abort());

    await assert.rejects(stream.finalResponse(), OpenAI.APIUserAbortError);
    await noted('hang-abort-gone');
});


test('an answer that takes too long', async () => {
    await assert.rejects(
        client.responses.create({ model: 'mock-hang-plain', input: 'x' },
                                { timeout: 300 }),
        OpenAI.APIConnectionTimeoutError);

    await noted('hang-plain-gone');
});


await run();
