// Plain JavaScript, so that an old Node.js prints a message and not a syntax error.
import { readFileSync } from 'node:fs';
import semver from 'semver';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
if (!semver.satisfies(process.versions.node, engines.node)) {
  process.stderr.write(
    `error: The tests need Node.js ${engines.node}; this is ${process.version}.\n` +
      'hint: On Linux, npm ci brings one: start them with npm, or put node_modules/.bin before the rest of PATH.\n',
  );
  process.exit(1);
}
