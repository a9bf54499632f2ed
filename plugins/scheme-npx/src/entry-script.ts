/** Script that replaces itself with the package's program. */
export const START_FILE = '/app/start';

/**
 * Runs in the build, with the name of the package and optionally of its program: finds the program as `npx`
 * does, and writes the start script. Several names of one file count as one program. The image's own Node.js
 * starts Node.js programs, with the flags of their first line.
 */
export const ENTRY_SCRIPT = `
const { chmodSync, readFileSync, realpathSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const [, name, wanted] = process.argv;
const fail = (text) => { console.error('portolan: ' + name + ' ' + text); process.exit(1); };
const folder = join('/app/node_modules', name);
const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const plain = name.replace(/^@[^/]*[/]/, '');
const programs = typeof bin === 'string' ? { [plain]: bin } : { ...bin };
const names = Object.keys(programs);
const files = new Set(names.map((one) => join(folder, programs[one])));
const all = names.join(', ');
const example = 'npx://' + name + '#' + names[0];
const chosen = names.find((one) => one === (wanted ?? plain)) ?? (wanted === undefined && files.size === 1 ? names[0] : undefined);
if (names.length === 0) fail('has no program that could be run');
if (chosen === undefined && wanted !== undefined) fail('has no program ' + wanted + '; its programs are: ' + all);
if (chosen === undefined) fail('has several programs, and none is called ' + plain + ': ' + all + '. Name one: ' + example);
let file;
try { file = realpathSync(join(folder, programs[chosen])); } catch { fail('has no file ' + programs[chosen]); }
if (!file.startsWith('/app/node_modules/')) fail('names a program outside of itself');
const quote = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";
const first = readFileSync(file, 'utf8').split('\\n', 1)[0].trim();
const node = /^#!.*[/ ]node(?:js)?((?: +-\\S+)*)$/.exec(first);
const isNode = node !== null || !first.startsWith('#!');
const flags = node === null ? [] : node[1].split(' ').filter((flag) => flag !== '').map(quote);
if (!isNode) chmodSync(file, 0o755);
const words = isNode ? ['node', ...flags, quote(file)] : [quote(file)];
writeFileSync('${START_FILE}', '#!/bin/sh\\nexec ' + words.join(' ') + ' "$@"\\n', { mode: 0o755 });
`.trim();
