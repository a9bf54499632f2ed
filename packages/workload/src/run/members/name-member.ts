import { isPortolanError } from '@portolan/plugin-api';
import { ForwardedError } from '../../forwarded-error.ts';
import type { RunObserver } from '../run-observer.ts';

/** Runs `action`, and puts the name of the member in front of its error. */
export async function nameMember<Result>(member: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    const { message, hint, cause } = error;
    throw new ForwardedError(error, `member ${member}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/** Returns an observer for one member, which names it in each message. */
export function observerOfMember(member: string, observer: RunObserver): RunObserver {
  const { ask, consent, person } = observer;
  const prefix = `member ${member}: `;
  return {
    step: (step, text) => observer.step(step, `${text} (member ${member})`),
    image: (progress) => observer.image(progress),
    warn: (text) => observer.warn(prefix + text),
    note: (text) => observer.note(prefix + text),
    ready: () => undefined,
    ...(ask === undefined
      ? {}
      : {
          ask: async (question, signal) =>
            await ask(
              { ...question, description: `${prefix}${question.description ?? question.name}` },
              signal,
            ),
        }),
    ...(consent === undefined ? {} : { consent }),
    ...(person === undefined ? {} : { person }),
  };
}
