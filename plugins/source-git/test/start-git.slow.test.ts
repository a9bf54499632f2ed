import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { gitVariables } from '../src/git-variables.ts';
import { type StartedGit, startGit } from '../src/start-git.ts';

const run = promisify(execFile);

/** A git that waits for its input and answers with the name that it would have. */
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

/** Those that this process has started and that run: `git hash-object`, by their ids. */
async function runningGits(): Promise<readonly string[]> {
  const { stdout } = await run('ps', ['-o', 'pid=,stat=,args=', '--ppid', String(process.pid)]);
  return stdout.split('\n').filter((line) => /^ *\d+ [^Z]\S* +git hash-object/.test(line));
}

const HELLO = 'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0';

describe('a git in a thread', () => {
  it('answers each of many that wait at once', async () => {
    const many = Array.from({ length: 20 }, () => startWaiting());
    const answers = await Promise.all(many.map((git) => answerOf(git, 'hello')));
    expect(new Set(answers)).to.deep.equal(new Set([HELLO]));
  });

  it('ends every git when the thread dies, tells those who wait, and starts another one', async () => {
    const threads: Worker[] = [];
    const descriptor = Object.getOwnPropertyDescriptor(Worker.prototype, 'postMessage');
    const postMessage = descriptor?.value as (...words: unknown[]) => void; // of a method
    Object.defineProperty(Worker.prototype, 'postMessage', {
      ...descriptor,
      value(this: Worker, ...words: unknown[]) {
        threads.push(this);
        Reflect.apply(postMessage, this, words);
      },
    });
    let waiting: readonly StartedGit[];
    try {
      waiting = [startWaiting(), startWaiting()];
    } finally {
      Object.defineProperty(Worker.prototype, 'postMessage', descriptor ?? {});
    }
    await eventually(async () => expect(await runningGits()).to.have.length(2));
    await threads[0]?.terminate();
    for (const { ended } of waiting)
      expect(await ended.catch(String)).to.equal('Error: the thread that starts git has ended');
    await eventually(async () => expect(await runningGits()).to.deep.equal([]));
    expect(await answerOf(startWaiting(), 'hello')).to.equal(HELLO);
  });

  it('is ended by its signal, with the reason of that', async () => {
    const controller = new AbortController();
    const git = startWaiting(controller.signal);
    controller.abort(new Error('enough'));
    expect(await git.ended.catch(String)).to.equal('Error: enough');
  });
});
