// Copyright (C) Open Responses contributors
//
// A Chat Completions server that was not written here: aimock, with the
// answers the tests ask for.  What it answers depends on the last message of
// the user and on whether tools have answered already.  It prints its port,
// and leaves when its standard input is closed.

import { LLMock } from '@copilotkit/aimock';
import { CITIES, CODE } from './run.mjs';

const LONG = 'Zażółć gęślą jaźń 🙂 "quoted" \\ tab\t\n'.repeat(4000);

const mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 7 });


function textOf(message) {
    const content = message?.content ?? '';

    return typeof content === 'string'
        ? content : content.map((part) => part.text ?? '').join('');
}


function answers(request) {
    const last = request.messages.findLastIndex((m) => m.role === 'user');

    return request.messages.slice(last + 1)
        .filter((m) => m.role === 'tool').map(textOf);
}


const call = (city, n) => ({
    id: `call_${n}`, name: 'get_weather',
    arguments: JSON.stringify({ city, note: 'a "quoted" café 日本' }),
});


// tools first, in turn, then what they said

function tool(word, ...responses) {
    let awaited = 0;

    for (const response of responses) {
        const before = awaited;

        mock.on({ userMessage: word,
                  predicate: (r) => answers(r).length === before }, response);
        awaited += response.toolCalls.length;
    }

    mock.on({ userMessage: word },
            (r) => ({ content: `The tools said: ${answers(r).join(', ')}.` }));
}


function fail(status, error, more = {}) {
    mock.onMessage(`error ${status}`, { status, error, ...more });
}


mock.onMessage('say hello', { content: 'Hello from aimock! 🙂' });
mock.onMessage('say much', { content: LONG }, { chunkSize: 1000 });
mock.onMessage('count', { content: 'one, two, thr', finishReason: 'length' });
mock.onMessage('think', {
    content: 'It is 42.', reasoning: 'Six times seven. Long known.' });
mock.onMessage('as json', {
    content: '{"city":"Paris","degrees":21.5,"rain":false}',
    usage: { prompt_tokens: 30, completion_tokens: 12 } });

tool('one city', { toolCalls: [call(CITIES[0], 0)] });
tool('three cities', { toolCalls: CITIES.map(call) });
tool('city by city', ...['Lima', 'Quito'].map((city, n) => (
    { toolCalls: [call(city, n)] })));
tool('by text', { toolCalls: [
    { id: 'call_0', name: 'run',
      arguments: JSON.stringify({ input: CODE }) }] });
tool('by search', { toolCalls: [
    { id: 'call_0', name: 'tool_search',
      arguments: '{"query":"weather"}' }] });
tool('hand over', { toolCalls: [
    { id: 'call_0', name: 'transfer_to_expert', arguments: '{}' }] });
tool('talk first', { content: 'Let me look.', toolCalls: [call('Oslo', 0)] });

fail(400, { message: 'that does not fit', type: 'invalid_request_error',
            code: 'context_length_exceeded' });
fail(401, { message: 'who are you', type: 'authentication_error',
            code: 'invalid_api_key' });
fail(403, { message: 'not you', type: 'permission_error' });
fail(404, { message: 'no such thing', type: 'not_found_error',
            code: 'model_not_found' });
fail(429, { message: 'slow down', type: 'requests',
            code: 'rate_limit_exceeded' }, { retryAfter: 7 });
fail(500, { message: 'broken', type: 'server_error' });
fail(503, { message: 'busy', type: 'server_error' });

mock.onMessage('cut', { content: 'this never comes to its end' },
               { truncateAfterChunks: 3, latency: 20 });

mock.onEmbedding('some words', { embedding: [0.5, -0.25, 1] });

// whatever recorded clients ask: a call where one may be made, else a text

mock.on({ predicate: (r) => r.messages.at(-1)?.role === 'user'
                            && r.tools?.length > 0
                            && r.tool_choice !== 'none' },
        (r) => ({ toolCalls: [{ id: 'call_any', arguments: '{"any":"thing"}',
                                name: r.tools[0].function.name }] }));
mock.on({}, { content: 'All is well.' });

await mock.start();
console.log(mock.port);

process.stdin.on('end', () => process.exit(0));
process.stdin.resume();
