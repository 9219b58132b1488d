// Copyright (C) Open Responses contributors
//
// tools_agents.mjs PACKAGE: tools that run at the server at $BASE, for OpenAI's
// Agents SDK: a function, hosted types, an MCP server and its approvals.

import assert from 'node:assert/strict';
import { Agent, ModelBehaviorError, OpenAIProvider, Runner,
         codeInterpreterTool, hostedMcpTool, tool, webSearchTool } from '@openai/agents';
import { OpenAI } from 'openai';
import { z } from 'zod';
import { PATIENCE, collect, run, test } from './run.mjs';

const runner = (path = '') => new Runner({
    tracingDisabled: true,
    modelProvider: new OpenAIProvider({
        useResponses: true,
        openAIClient: new OpenAI({ baseURL: process.env.BASE + path,
                                   apiKey: 'test-key', maxRetries: 0,
                                   timeout: PATIENCE }) }) });

const agent = (model, ...tools) => new Agent({ name: 'clerk', model, tools });

const mcp = (more) => hostedMcpTool({ serverLabel: 'docs', ...more });

const WAYS = {
    plainly: (who, input, path) => runner(path).run(who, input),

    streamed: async (who, input, path) => {
        const result = await runner(path).run(who, input, { stream: true });

        await collect(result);
        await result.completed;
        return result;
    },
};

function each(name, body) {
    for (const [way, ask] of Object.entries(WAYS)) {
        test(`${name}, ${way}`, () => body(ask));
    }
}


const called = (result) => result.newItems
    .filter((item) => item.type === 'tool_call_item')
    .map((item) => item.rawItem);

const mine = tool({ name: 'mine', description: 'Mine', strict: false,
                    parameters: { type: 'object', properties: {},
                                  required: [], additionalProperties: true },
                    execute: () => 'yes' });


each('a function that is not shown', async (ask) => {
    const r = await ask(agent('clock'), 'hi', '/silent');

    assert.equal(r.finalOutput, 'Read: 12:00');
    assert.deepEqual(called(r), []);
});


// each call of a function is an agent's to run, whatever follows it

each('a function that is shown', (ask) => assert.rejects(
    ask(agent('clock'), 'hi'),
    (error) => error instanceof ModelBehaviorError
               && error.message.includes('get_time')));


each('a function, and one of the client', async (ask) => {
    const r = await ask(agent('both', mine), 'hi', '/silent');

    assert.deepEqual(called(r).map((call) => call.name), ['mine']);
    assert.match(r.finalOutput, /yes$/);
});


each('a search and code', async (ask) => {
    const search = await ask(agent('search', webSearchTool()), 'hi');

    assert.equal(search.finalOutput, 'Read: much is new');
    assert.deepEqual(called(search).map((call) => call.name),
                     ['web_search_call']);

    const code = await ask(agent('code', codeInterpreterTool()), 'hi');

    assert.equal(code.finalOutput, 'Read: 2');

    // the history goes back as it came

    const again = await ask(agent('hello', webSearchTool()), [
        ...search.history, ...code.history,
        { role: 'user', content: 'and?' }]);

    assert.equal(again.finalOutput, 'Hello');
});


each('an MCP server', async (ask) => {
    const tools = mcp({ allowedTools: ['read'] });
    const r = await ask(agent('read', tools), 'hi');

    assert.equal(r.finalOutput, 'Read: read a; read b');
    assert.deepEqual(called(r).map((call) => call.providerData?.type),
                     ['mcp_list_tools', 'mcp_call', 'mcp_call']);
    assert.deepEqual(called(r).slice(1).map((call) => call.output),
                     ['read a', 'read b']);

    const again = await ask(agent('hello', tools), [
        ...r.history, { role: 'user', content: 'and?' }]);

    assert.equal(again.finalOutput, 'Hello');
});


// who decides: a callback, or the one who is asked when the run stops; the
// history goes whole each time

each('approved of by a callback', async (ask) => {
    const r = await ask(agent('write', mcp({
        requireApproval: 'always',
        onApproval: async () => ({ approve: true }) })), 'hi');

    assert.equal(r.finalOutput, 'Read: write c');
});


each('declined by a callback', async (ask) => {
    const r = await ask(agent('write', mcp({
        requireApproval: { never: { toolNames: ['read'] } },
        onApproval: async () => ({ approve: false,
                                   reason: 'too "bold"' }) })), 'hi');

    assert.match(r.finalOutput, /declined.*: too "bold"$/);
});


async function stopped(ask) {
    const who = agent('write', mcp({ requireApproval: 'always' }));
    const r = await ask(who, 'hi');

    assert.equal(r.interruptions.length, 1);
    assert.equal(r.interruptions[0].rawItem.name, 'write');
    return { who, state: r.state, request: r.interruptions[0] };
}


test('approved of when the run stops', async () => {
    const { who, state, request } = await stopped(WAYS.plainly);

    state.approve(request);

    const r = await WAYS.plainly(who, state);

    assert.equal(r.finalOutput, 'Read: write c');
});


each('declined when the run stops', async (ask) => {
    const { who, state, request } = await stopped(ask);

    state.reject(request, { message: 'not now' });

    const r = await ask(who, state);

    assert.match(r.finalOutput, /declined.*: not now$/);
});


await run();
