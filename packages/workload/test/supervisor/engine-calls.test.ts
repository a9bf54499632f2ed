import { type ContainerState, PortolanError, type ContainerEngine } from '@portolan/plugin-api';
import { expect } from 'chai';
import { isRemoved } from '../../src/supervisor/server/engine-calls.ts';

type Answer = ContainerState['status'] | undefined | Error;

/** Returns an engine whose inspections of a container have these results in order. */
function engineSaying(...answers: readonly Answer[]): ContainerEngine {
  const left = [...answers];
  const inspectContainer = async () => {
    const answer = left.shift();
    if (answer instanceof Error) throw answer;
    return answer === undefined
      ? undefined
      : { state: { status: answer, exitCode: 137, outOfMemory: false } };
  };
  // SAFETY: the code under test calls no other function.
  return { inspectContainer } as unknown as ContainerEngine;
}

const away = new PortolanError('ERR_RUNTIME_UNREACHABLE', 'unavailable', 'The engine is away.');

describe('isRemoved', () => {
  const { signal } = new AbortController();
  for (const { title, answers, removed } of [
    { title: 'that is gone', answers: [undefined], removed: true },
    { title: 'that is being removed', answers: ['removing'], removed: true },
    { title: 'that is dead after a partial removal', answers: ['dead'], removed: true },
    { title: 'that was killed', answers: ['exited'], removed: false },
    { title: 'that has exited when its engine is back', answers: [away, 'exited'], removed: false },
    { title: 'that is gone when its engine is back', answers: [away, undefined], removed: true },
  ] satisfies readonly { title: string; answers: readonly Answer[]; removed: boolean }[]) {
    it(`returns ${removed} for a container ${title}`, async () => {
      expect(await isRemoved({ runtime: engineSaying(...answers), engine: {} }, 'id', signal)).to.equal(
        removed,
      );
    });
  }

  const unannounced: readonly { title: string; answers: readonly Answer[]; removed: boolean }[] = [
    { title: 'is gone a moment later', answers: ['exited', 'exited', undefined], removed: true },
    {
      title: 'stays as exited',
      answers: Array.from({ length: 10 }, () => 'exited' as const),
      removed: false,
    },
  ];
  for (const { title, answers, removed } of unannounced) {
    it(`returns ${removed} for a container that ${title}, on an engine that does not announce removals`, async () => {
      const asked = { runtime: engineSaying(...answers), engine: { announcesRemovals: false } };
      expect(await isRemoved(asked, 'id', signal)).to.equal(removed);
    });
  }

  it('passes on any other error', async () => {
    const fault = new Error('disk');
    expect(
      await isRemoved({ runtime: engineSaying(fault), engine: {} }, 'id', signal).catch(
        (error: unknown) => error,
      ),
    ).to.equal(fault);
  });
});
