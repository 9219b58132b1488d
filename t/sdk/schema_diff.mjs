// Copyright (C) Open Responses contributors
//
// schema_diff.mjs OPENAPI DOCUMENTS VERDICTS: writes documents made from the
// schemas in OPENAPI, a line for each (kind, profile, JSON), and a line for
// each with what it is and what ajv says of it: label, mutation, path, 1 or
// 0, reason.  Columns have tabs between them.

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Documents, expand, write } from './schema_documents.mjs';

const SEED = 20260424;

// documents made by chance, and as many mutants; of events, for each type

const RANDOM = 1500;
const RANDOM_EVENT = 60;

// of the documents with a response in an event one in so many is taken: the
// response itself is looked at in all of them

const SHARE = 12;

const [openapiFile, documentsFile, verdictsFile] = process.argv.slice(2);
const openapi = JSON.parse(readFileSync(openapiFile, 'utf8'));
const schemas = openapi.components.schemas;
const make = new Documents(openapi, SEED);

const ajv = new Ajv2020({ strict: true, strictTypes: false, logger: false });

for (const word of ['example', 'discriminator', 'x-enumDescriptions',
                    'x-unionDisplay', 'x-unionTitle',
                    'x-openresponses-added-in',
                    'x-openresponses-disallowed', 'components']) {
    ajv.addKeyword(word);
}

ajv.addSchema({ $id: 'api', components: openapi.components });


class Lines {
    #fd;
    #lines = [];
    #size = 0;

    constructor(file) {
        this.#fd = openSync(file, 'w');
    }

    add(...columns) {
        const line = columns.join('\t') + '\n';

        this.#lines.push(line);
        this.#size += line.length;
        if (this.#size > 1000000) this.#flush();
    }

    close() {
        this.#flush();
        closeSync(this.#fd);
    }

    #flush() {
        writeSync(this.#fd, this.#lines.join(''));
        this.#lines = [];
        this.#size = 0;
    }
}


const documents = new Lines(documentsFile);
const verdicts = new Lines(verdictsFile);


class Kind {
    #validate;
    #seen = new Set();

    constructor(label, kind, schema, validate, share = 1) {
        this.label = label;
        this.kind = kind;
        this.schema = schema;
        this.share = share;
        this.#validate = validate;
    }

    add(mutation, path, text) {
        if (this.#seen.has(text)) return;
        this.#seen.add(text);

        const valid = this.#validate(JSON.parse(expand(text)));
        const why = valid ? '' : this.#validate.errors.slice(0, 3).map(
            (e) => `${e.instancePath} ${e.message}`).join('; ');

        documents.add(this.kind, 'spec', text);
        verdicts.add(this.label, mutation, path, Number(valid),
                     why.replace(/\s+/g, ' '));
    }

    addAll() {
        let n = 0;

        for (const tree of make.each(this.schema)) {
            const texts = [['valid', '', write(tree)], ...make.mutants(tree)];

            for (const columns of texts) {
                if (n++ % this.share === 0) this.add(...columns);
            }
        }
    }

    addRandom(n) {
        while (n--) {
            const tree = make.any(this.schema);

            this.add('random', '', write(tree));
            this.add(...make.mutant(tree));
        }
    }
}


// an event is any of those that are listed with the path

const stream = openapi.paths['/responses'].post.responses['200']
               .content['text/event-stream'].schema;
const validateEvent = ajv.compile({ oneOf: stream.oneOf.map(
    ({ $ref }) => ({ $ref: `api${$ref}` })) });

const events = stream.oneOf.map(({ $ref }) => {
    const schema = schemas[$ref.split('/').pop()];

    return new Kind(schema.properties.type.enum[0], 'event', schema,
                    validateEvent, schema.properties.response ? SHARE : 1);
});

const others = [
    ['create', 'CreateResponseBody'],
    ['compact', 'CompactResponseMethodPublicBody'],
    ['response', 'ResponseResource'],
    ['compaction', 'CompactResource'],
].map(([kind, name]) => new Kind(
    kind, kind, schemas[name],
    ajv.getSchema(`api#/components/schemas/${name}`)));

for (const kind of [...others, ...events]) {
    kind.addAll();
    kind.addRandom(kind.kind === 'event' ? RANDOM_EVENT : RANDOM);
}

documents.close();
verdicts.close();
