/** What the image starts: a script that replaces itself with the package's program. */
export const START_FILE = '/app/start';

/**
 * Runs in the build, with the package's name as its argument: finds the program
 * that the package is run by, as `npx` does, and writes the start script. Node
 * programs are started with the image's own Node, whatever path their first line
 * names, and with the flags that stand there.
 */
export const ENTRY_SCRIPT = `
const { chmodSync, readFileSync, realpathSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const name = process.argv[1];
const fail = (text) => { console.error('portolan: ' + name + ' ' + text); process.exit(1); };
const folder = join('/app/node_modules', name);
const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const plain = name.replace(/^@[^/]*[/]/, '');
const programs = typeof bin === 'string' ? { [plain]: bin } : { ...bin };
const names = Object.keys(programs);
const chosen = names.length === 1 ? names[0] : names.find((one) => one === plain);
if (names.length === 0) fail('has no program that could be run');
if (chosen === undefined) fail('has several programs, and none is called ' + plain + ': ' + names.join(', '));
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
