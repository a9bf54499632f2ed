import { formatDuration, showDuration } from '../../parse/format-duration.ts';
import { START_MODES } from '../../run-config/choices.ts';
import type { FlagRow } from '../flag-row.ts';

/** Flags about when the server of a workload runs. */
export const IDLE_FLAGS = {
  start: {
    flag: 'start',
    choices: START_MODES,
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description:
      'when the server starts: eager, with the workload; lazy, with the first request that needs it',
    fallback: 'eager',
    helpValue: 'WHEN',
    field: 'start',
    setting: { default: 'eager', write: (mode: string) => (mode === 'eager' ? '' : mode) },
  },
  stopAfterIdleMs: {
    flag: 'stop-after-idle',
    is: 'duration',
    group: 'TRANSPORT AND PROXY',
    description:
      'time without a request, a subscription or a running task after which the server stops until the next request; at least 1s; 0: never',
    fallback: '0',
    field: 'stop_after_idle',
    setting: {
      default: 0,
      write: (ms: number) => (ms === 0 ? '' : formatDuration(ms)),
      show: (ms: number) => (ms === 0 ? 'never' : showDuration(ms)),
    },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
