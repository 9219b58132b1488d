// Copyright (C) Open Responses contributors
//
// tools.mjs PACKAGE: tools that run at the server at $BASE, for the SDK of
// that name: a function, hosted types, an MCP server and its approvals.

import assert from 'node:assert/strict';
import { PATIENCE, collect, run, test } from './run.mjs';
import { OpenAI, fails } from './tests.mjs';

const client = new OpenAI({ baseURL: process.env.BASE, apiKey: 'test-key',
                            maxRetries: 0, timeout: PATIENCE });

const types = (response) => response.output.map((item) => item.type);

const text = (response) => response.output.at(-1).content[0].text;

const MCP = { type: 'mcp', server_label: 'docs' };


// the events of a turn but the texts' own, and its response

async function streamed(request) {
    const events = await collect(
        await client.responses.create({ ...request, stream: true }));

    assert.deepEqual(events.map((e) => e.sequence_number),
                     events.map((_, n) => n));
    assert.equal(events.at(-1).type, 'response.completed');

    const items = events.filter(
        (e) => e.type === 'response.output_item.done');

    assert.deepEqual(items.map((e) => e.output_index),
                     items.map((_, n) => n));
    assert.deepEqual(events.at(-1).response.output, items.map((e) => e.item));

    return events.at(-1).response;
}


async function helper(request) {
    const r = await client.responses.stream(request).finalResponse();

    assert.equal(r.status, 'completed');
    return r;
}


const WAYS = { plainly: (request) => client.responses.create(request),
               streamed, helper };

function each(name, body) {
    for (const [way, ask] of Object.entries(WAYS)) {
        test(`${name}, ${way}`, () => body((model, more = {}) =>
            ask({ model, input: 'hi', ...more })));
    }
}


each('a function', async (ask) => {
    const r = await ask('clock');
    const [call, output] = r.output;

    assert.deepEqual(types(r), ['function_call', 'function_call_output',
                                'message']);
    assert.deepEqual([call.name, call.arguments, call.status],
                     ['get_time', '{"zone":"UTC"}', 'completed']);
    assert.deepEqual([output.call_id, output.output],
                     [call.call_id, '12:00']);
    assert.equal(text(r), 'Read: 12:00');
    assert.ok(r.usage.total_tokens > 0);
});


each('a function, and one of the client', async (ask) => {
    const tools = [{ type: 'function', name: 'mine', strict: null,
                     parameters: { type: 'object' } }];
    const first = await ask('both', { tools });
    const call = first.output.find((item) => item.name === 'mine');

    assert.ok(types(first).includes('function_call_output'));

    const second = await ask('both', {
        tools, previous_response_id: first.id,
        input: [{ type: 'function_call_output', call_id: call.call_id,
                  output: 'yes' }] });

    assert.deepEqual(types(second), ['message']);
    assert.equal(text(second), 'Read: 12:00; yes');
});


each('a search', async (ask) => {
    const tools = [{ type: 'web_search' }];
    const r = await ask('search', {
        tools, include: ['web_search_call.action.sources'] });

    assert.deepEqual(types(r), ['web_search_call', 'message']);
    assert.equal(r.output[0].status, 'completed');
    assert.deepEqual(r.output[0].action, {
        type: 'search', query: 'news',
        sources: [{ type: 'url', url: 'https://example.org/' }] });
    assert.equal(text(r), 'Read: much is new');

    const again = await ask('hello', {
        tools, input: [{ role: 'user', content: 'hi' }, ...r.output,
                       { role: 'user', content: 'and?' }] });

    assert.equal(text(again), 'Hello');
});


each('files and code', async (ask) => {
    const files = await ask('files', {
        tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }],
        include: ['file_search_call.results'] });

    assert.equal(files.output[0].results[0].filename, 'a.txt');
    assert.deepEqual(files.output[0].queries, ['a']);

    const code = await ask('code', {
        tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
        include: ['code_interpreter_call.outputs'] });

    assert.equal(code.output[0].code, 'print(2)');
    assert.deepEqual(code.output[0].outputs, [{ type: 'logs', logs: '2\n' }]);
});


each('an MCP server', async (ask) => {
    const tools = [{ ...MCP, require_approval: 'never' }];
    const r = await ask('read', { tools });

    assert.deepEqual(types(r), ['mcp_list_tools', 'mcp_call', 'mcp_call',
                                'message']);
    assert.deepEqual(r.output[0].tools.map((tool) => tool.name),
                     ['read', 'write', 'broken']);
    assert.deepEqual(r.output.slice(1, 3).map((i) => i.output),
                     ['read a', 'read b']);
    assert.equal(text(r), 'Read: read a; read b');

    // the list is not read again in a conversation

    const next = await ask('read', { tools, previous_response_id: r.id });

    assert.deepEqual(types(next), ['mcp_call', 'mcp_call', 'message']);
});


each('a call that fails', async (ask) => {
    const r = await ask('broken', {
        tools: [{ ...MCP, require_approval: 'never' }] });

    assert.equal(r.output[1].error.type, 'mcp_tool_execution_error');
    assert.equal(r.output[1].status, 'failed');
    assert.equal(text(r), 'Read: no disk');
});


// approved of in each of the three ways, declined in others

each('approvals', async (ask) => {
    const first = await ask('write', { tools: [MCP] });
    const request = first.output.at(-1);

    assert.deepEqual(types(first), ['mcp_list_tools', 'message',
                                    'mcp_approval_request']);
    assert.deepEqual([request.server_label, request.name, request.arguments],
                     ['docs', 'write', '{"name":"c"}']);

    const answer = (more) => ask('write', {
        tools: [MCP], previous_response_id: first.id,
        input: [{ type: 'mcp_approval_response',
                  approval_request_id: request.id, ...more }] });

    const declined = await answer({ approve: false, reason: 'too "bold"' });

    assert.deepEqual(types(declined), ['message']);
    assert.match(text(declined), /declined.*: too "bold"$/);

    const approved = await answer({ approve: true });

    assert.deepEqual(types(approved), ['mcp_call', 'message']);
    assert.equal(approved.output[0].approval_request_id, request.id);
    assert.equal(approved.output[0].output, 'write c');
    assert.equal(text(approved), 'Read: write c');

    const kept = await client.responses.retrieve(approved.id);

    assert.deepEqual(kept.output, approved.output.map(
        ({ parsed_arguments, ...item }) => item.type === 'message'
            ? { ...item, content: item.content.map(
                ({ parsed, ...part }) => part) }
            : item));

    // a stream has begun by then

    await assert.rejects(answer({ approve: true }),
                         { code: 'approval_already_used' });
});


test('a label that is not configured', () => fails(
    client.responses.create({ model: 'read', input: 'hi', tools: [
        { type: 'mcp', server_label: 'other' }] }),
    'BadRequestError', 400, 'unknown_server',
    { param: 'tools[0].server_label' }));


await run();
