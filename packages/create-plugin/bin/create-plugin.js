#!/usr/bin/env node
// Plain JavaScript that any version of Node.js can parse, so that an old one reports its version instead of a
// syntax error.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  process.stderr.write(`error: create-plugin needs Node.js 22.22.2 or newer; this is ${process.version}\n`);
  process.exit(1);
}

const source = new URL('../src/index.ts', import.meta.url);
const fromSource = process.env.PORTOLAN_DIST !== '1' && existsSync(source);
const { main } = await import(fromSource ? source.href : '../dist/index.js');
process.exitCode = await main(process.argv.slice(2), process);
