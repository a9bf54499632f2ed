import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const root = path.resolve(import.meta.dirname, '../..');

/** Ways to use the time of day as a number: `Date.now`, `clock().getTime()`, and differences of dates. */
const TIME_OF_DAY =
  /\bDate\.now\b|[cC]lock\(\)\.getTime\(\)|\bnow\.getTime\(\)|\.getTime\(\) -|- [\w.#]+\.getTime\(\)/;

/** Files that need the time of day, each with the reason. */
const NEEDS_TIME_OF_DAY: ReadonlyMap<string, string> = new Map([
  ['packages/cli/src/terminal/format/format-age.ts', 'shows the age of a stored time'],
  ['packages/cli/src/terminal/parse-since.ts', 'reads a time that the user names'],
  ['packages/cli/src/terminal/unused-names.ts', 'lines of a log file have the time of day'],
  ['packages/registry-client/src/connection/access-token.ts', 'a JWT has the date of its end'],
  ['packages/kernel/src/logging/logger.ts', 'log lines have the time of day'],
  ['packages/oauth-client/src/registration/register-client.ts', 'the authorization server names a date'],
  ['packages/oauth-client/src/tokens/token-keeper.ts', 'a stored token has the date of its end'],
  ['packages/oauth-client/src/tokens/token-set.ts', 'a stored token has the date of its end'],
  ['packages/proxy/src/steps/end-with-token.ts', 'a JWT has the date of its end'],
  ['packages/registry-client/src/lookup/catalogue-cache.ts', 'a cache file has the date of its request'],
  ['packages/registry-server/src/host/sessions/sealed-sessions.ts', 'replicas share the date of a cookie'],
  ['packages/registry/src/sync/plan-read.ts', 'the database has the date of the last full read'],
  ['packages/run-spec/src/target/workload-name.ts', 'a name has the date in it'],
  ['packages/workload/src/doctor/check-containers.ts', 'the engine names the date of creation'],
  ['packages/workload/src/doctor/check-leftovers.ts', 'a folder has a modification date'],
  ['packages/workload/src/registry-login/login-access.ts', 'a stored token has the date of its end'],
  ['packages/workload/src/build/version-memory.ts', 'a cache file has the date of its request'],
  ['packages/workload/src/build/images/find-built.ts', 'sorts images by their date of creation'],
  ['packages/workload/src/login/walk-login.ts', 'computes the date on which a client secret ends'],
  [
    'packages/workload/src/run/operations/list/describe-workload.ts',
    'the state file has the date of the start',
  ],
  [
    'packages/workload/src/supervisor/definitions/serve-definitions.ts',
    'a response file has a modification date',
  ],
  ['plugins/auth-oauth/src/tokens/check-claims.ts', 'a JWT has the date of its end'],
  ['plugins/auth-oauth/src/tokens/token-memory.ts', 'a JWT has the date of its end'],
  ['plugins/auth-oauth/src/tokens/jwt-verifier.ts', 'a JWT has the date of its end'],
  ['plugins/auth-oauth/src/provider.ts', 'a JWT has the date of its end'],
  ['plugins/credentials-oauth/src/login-renewal.ts', 'a stored token has the date of its end'],
  ['plugins/proxy-token-exchange/src/token-exchanger.ts', 'a token ages while the machine is suspended'],
  ['plugins/source-api/src/client-credentials.ts', 'a token ages while the machine is suspended'],
  ['plugins/source-api/src/read-position.ts', 'a registry names the date of its last change'],
  ['plugins/source-api/src/retry.ts', 'the header Retry-After may be a date'],
  ['plugins/telemetry-otlp/src/otel-tracer.ts', 'spans have the time of day'],
  ['plugins/web-console/src/admin/parts/show.ts', 'shows the age of a stored time'],
  ['plugins/web-console/src/login/logged-in.ts', 'a stored session has the date of its end'],
  ['plugins/web-console/src/login/login-pages.ts', 'a stored session has the date of its end'],
]);

/** Returns the lines of a file that use the time of day as a number. */
function findUses(text: string): readonly string[] {
  return text.split('\n').filter((line) => TIME_OF_DAY.test(line));
}

describe('intervals', () => {
  const users = globSync('{packages,plugins}/*/src/**/*.ts', { cwd: root })
    .filter((file) => !file.startsWith('packages/plugin-testing/'))
    .filter((file) => findUses(readFileSync(path.join(root, file), 'utf8')).length > 0);

  it('source files › measure intervals with a monotonic clock, not with the time of day', () => {
    expect(users.filter((file) => !NEEDS_TIME_OF_DAY.has(file))).to.deep.equal([]);
  });

  it('exemptions › name only files that still use the time of day', () => {
    expect([...NEEDS_TIME_OF_DAY.keys()].filter((file) => !users.includes(file))).to.deep.equal([]);
  });

  for (const line of [
    'const now = Date.now();',
    'constructor(clock: () => number = Date.now) {}',
    'return this.#clock().getTime();',
    'const ms = at.getTime() - since.getTime();',
    'const ms = now - this.#last.at.getTime();',
  ]) {
    it(`findUses › finds the time of day in ${line}`, () => expect(findUses(line)).to.have.length(1));
  }

  it('findUses › accepts the monotonic clock', () => {
    expect(findUses('const ms = performance.now() - this.#options.nowMs();')).to.deep.equal([]);
  });
});
