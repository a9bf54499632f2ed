import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import fc from 'fast-check';
import { credentialsScript, quoteForShell } from '../../src/build/credentials-script.ts';

function run(script: string, env: Readonly<Record<string, string>> = {}): string {
  return execFileSync('/bin/sh', ['-euc', script], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  }).toString();
}

/**
 * Runs the script and then the command `then` in a shell, and returns their output. It also removes the home
 * folder that the script made.
 */
function after(script: string, then: string, env: Readonly<Record<string, string>> = {}): string {
  return run(`${script}\n${then}\ncase $HOME in /dev/shm/portolan-*) rm -r "$HOME" ;; esac`, env);
}

describe('quoteForShell', () => {
  it('quotes any text as one word without expansion', () => {
    const texts = fc.array(
      fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
      {
        maxLength: 20,
      },
    );
    const special = fc.array(fc.constantFrom("'", '"', '\\', '$(id)', '`id`', '\n', ' ', '*', '!', '#', '~'));
    fc.assert(
      fc.property(fc.oneof(texts, special), (parts) => {
        const text = parts.join('').toWellFormed();
        expect(run(`printf %s ${quoteForShell(text)}`)).to.equal(text);
      }),
      { numRuns: 50 },
    );
  });
});

describe('credentialsScript', () => {
  it('exports variables, and keeps HOME without credentials files', () => {
    const script = credentialsScript({ variables: { A: "it's $HOME", B: '' }, authFiles: {} });
    const said = after(script, 'sh -c \'printf "%s|%s|%s" "$A" "${B-unset}" "$HOME"\'', { HOME: '/home/me' });
    expect(said).to.equal("it's $HOME||/home/me");
  });

  it('writes files with mode 600 into a home folder in memory, and keeps caches and settings on disk', () => {
    const npmrc = "//npm.acme.example/:_authToken=it's\n; $(id)\n";
    const script = credentialsScript({ variables: {}, authFiles: { npmrc, netrc: 'machine a' } });
    const then = [
      'cat "$HOME/.npmrc" "$HOME/.netrc"',
      'stat -c "%a %n" "$HOME" "$HOME/.npmrc" | sed "s,/dev/shm/portolan-[0-9a-f]*,HOME,"',
      'echo "$npm_config_userconfig $NETRC" | sed "s,$HOME,HOME,g"',
      'echo "$XDG_CACHE_HOME $XDG_CONFIG_HOME $GOPATH $npm_config_cache"',
      'umask',
    ];
    expect(after(script, then.join('\n'), { HOME: '/home/me', GOPATH: '/go' })).to.equal(
      [
        `${npmrc}machine a`,
        '700 HOME',
        '600 HOME/.npmrc',
        'HOME/.npmrc HOME/.netrc',
        '/home/me/.cache /home/me/.config /go /home/me/.npm',
        run('umask'),
      ].join('\n'),
    );
  });
});
