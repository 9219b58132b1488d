// Copyright (C) Open Responses contributors
//
// tests.mjs: what tests of OpenAI's SDK have in common.  The name of its
// package is the first argument of all of them.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const sdk = await import(process.argv[2]);

export const { OpenAI } = sdk;

// what aimock's calls ask for, in this order

export const CITIES = ['Paris', 'Tokyo', 'San José'];

// milliseconds that an answer may take

export const PATIENCE = 20000;

const tests = [];

export const test = (name, body) => tests.push({ name, body });


export async function collect(stream) {
    const events = [];

    for await (const event of stream) events.push(event);
    return events;
}


// "more": other properties of the error

export async function fails(promise, name, status, code, more = {}) {
    const error = await promise.then(
        () => assert.fail(`no ${name}`), (e) => e);

    assert.ok(error instanceof sdk[name], `${name} expected: ${error.stack}`);
    assert.ok(error instanceof OpenAI.APIError);
    assert.equal(error.status, status);
    assert.equal(error.code, code);

    for (const [key, value] of Object.entries(more)) {
        value instanceof RegExp ? assert.match(error[key], value)
                                : assert.equal(error[key], value);
    }

    return error;
}


const late = () => sleep(2 * PATIENCE, undefined, { ref: false })
    .then(() => { throw new Error('takes too long'); });

const tell = (line) => process.stdout.write(JSON.stringify(line) + '\n');


// all tests, in turn; a line for each, as ORS::SDK reads them, and no return

export async function run() {
    for (const { name, body } of tests) {
        try {
            await Promise.race([body(), late()]);
            tell({ ok: 1, name });

        } catch (error) {
            tell({ ok: 0, name, why: error.stack ?? String(error) });
        }
    }

    tell({ plan: tests.length });
    process.exit(0);
}
