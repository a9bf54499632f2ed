import { expect } from 'chai';
import { gitVariables } from '../src/git-variables.ts';
import { faultOf } from './fault-of.ts';
import { type StartedGit, startGit } from '../src/start-git.ts';

/** Starts a git that prints the object id of its standard input. */
function startWaiting(signal = new AbortController().signal): StartedGit {
  const environment = gitVariables({ environment: process.env, home: import.meta.dirname });
  return startGit({ words: ['hash-object', '--stdin'], environment, signal });
}

async function answerOf(git: StartedGit, input: string): Promise<string> {
  git.write(input);
  git.end();
  let text = '';
  for await (const chunk of git.output) text += chunk.toString();
  await git.ended;
  return text.trim();
}

const HELLO = 'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0';

describe('startGit', () => {
  it('returns the output of each of many processes at once', async () => {
    const many = Array.from({ length: 20 }, () => startWaiting());
    const answers = await Promise.all(many.map((git) => answerOf(git, 'hello')));
    expect(new Set(answers)).to.deep.equal(new Set([HELLO]));
  });

  it('kills git and rejects with the reason when the signal aborts', async () => {
    const controller = new AbortController();
    const git = startWaiting(controller.signal);
    controller.abort(new Error('enough'));
    expect(await git.ended.catch(String)).to.equal('Error: enough');
  });

  it('settles when nothing reads the output of a killed process', async () => {
    const environment = gitVariables({ environment: process.env, home: import.meta.dirname });
    const { signal } = new AbortController();
    const git = startGit({ words: ['version', '--build-options'], environment, signal });
    git.kill();
    expect(await git.ended.catch(String)).to.be.oneOf([
      undefined,
      'GitFailure: git version ended with SIGKILL: no message',
    ]);
  });

  it('rejects with ERR_SOURCE_GIT_MISSING when the path has no git', async () => {
    const { signal } = new AbortController();
    const git = startGit({ words: ['version'], environment: { PATH: '/nowhere' }, signal });
    const fault = await faultOf(() => git.ended);
    expect(fault.code).to.equal('ERR_SOURCE_GIT_MISSING');
  });
});
