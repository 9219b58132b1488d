// Copyright (C) Open Responses contributors
//
// websocket.mjs PACKAGE: the WebSocket class of OpenAI's SDK against the
// server at $BASE.  Models are scripts of the test that started this.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { PATIENCE, run, test } from './run.mjs';
import { OpenAI } from './tests.mjs';

const require = createRequire(import.meta.url);
const { ResponsesWS } = require(`${process.argv[2]}/resources/responses/ws`);

const client = new OpenAI({ baseURL: process.env.BASE, apiKey: 'test-key',
                            maxRetries: 0, timeout: PATIENCE });

const ENDS = ['response.completed', 'response.failed', 'response.incomplete'];


// one turn: its events up to the last one, or the error

function turn(ws, body) {
    return new Promise((resolve, reject) => {
        const events = [];
        const take = (event) => {
            events.push(event);

            if (ENDS.includes(event.type)) {
                ws.off('event', take);
                ws.off('error', reject);
                resolve(events);
            }
        };

        ws.on('event', take);
        ws.on('error', reject);
        ws.send({ type: 'response.create', model: 'mock', ...body });
    });
}

const text = (response) => response.output
    .flatMap((item) => item.content ?? []).map((part) => part.text).join('');


test('text, and turns one after the other', async () => {
    const ws = new ResponsesWS(client);
    const events = await turn(ws, { input: 'Hi' });

    assert.equal(events[0].type, 'response.created');
    assert.deepEqual(events.map((e) => e.sequence_number),
                     events.map((e, n) => n));
    assert.equal(text(events.at(-1).response), 'Hello');

    const next = await turn(ws, { input: 'Hi again' });

    assert.equal(next[0].sequence_number, 0);
    ws.close();
});


test('a call, its output and store: false', async () => {
    const ws = new ResponsesWS(client);
    const tools = [{ type: 'function', name: 'f', strict: false,
                     parameters: { type: 'object' } }];
    const first = (await turn(ws, { model: 'mock-call', input: 'Hi', tools,
                                    store: false })).at(-1).response;
    const call = first.output.find((item) => item.type === 'function_call');

    assert.equal(call.name, 'f');

    const second = (await turn(ws, {
        tools, store: false, previous_response_id: first.id,
        input: [{ type: 'function_call_output', call_id: call.call_id,
                  output: 'sun' }],
    })).at(-1).response;

    assert.equal(second.status, 'completed');
    assert.equal(second.previous_response_id, first.id);
    ws.close();
});


test('an error, and the connection goes on', async () => {
    const ws = new ResponsesWS(client);

    await assert.rejects(turn(ws, { input: 'Hi',
                                    previous_response_id: 'resp_none' }),
                         (error) => /previous_response_not_found|not stored/
                             .test(JSON.stringify(error) + error.message));

    assert.equal(text((await turn(ws, { input: 'Hi' })).at(-1).response),
                 'Hello');
    ws.close();
});


await run();
