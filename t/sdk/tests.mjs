// Copyright (C) Open Responses contributors
//
// tests.mjs: what tests of OpenAI's SDK have in common.  The name of its
// package is the first argument of all of them.

import assert from 'node:assert/strict';

const sdk = await import(process.argv[2]);

export const { OpenAI } = sdk;


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
