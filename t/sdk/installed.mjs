// Copyright (C) Open Responses contributors
//
// node installed.mjs LIST: each package of a package-lock.json that is made
// for this machine is installed, in the version of the list; what is not is
// named, and the status is 1.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';


const here = ({ cpu, os }) => fits(cpu, process.arch)
                              && fits(os, process.platform);

const fits = (names, name) => names === undefined
                              || [names].flat().includes(name);


function version(directory) {
    try {
        return JSON.parse(readFileSync(join(directory, 'package.json'))).version;

    } catch {
        return 'nothing';
    }
}


const list = process.argv[2];
const { packages } = JSON.parse(readFileSync(list));

for (const [path, entry] of Object.entries(packages)) {
    if (path === '' || !here(entry)) {
        continue;
    }

    const found = version(join(dirname(list), path));

    if (found !== entry.version) {
        console.error(`${path}: ${found} is installed, not ${entry.version}`);
        process.exitCode = 1;
    }
}
