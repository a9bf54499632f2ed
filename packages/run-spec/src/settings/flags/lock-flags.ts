import { DRIFT_REACTIONS } from '../../run-config/choices.ts';
import type { FlagRow } from '../flag-row.ts';
import type { UserSettings } from '../user-settings.ts';

export const LOCK_FLAGS = {
  lock: {
    flag: 'lock',
    is: 'text',
    group: 'WORKLOAD',
    description: 'lock file with the approved tools, prompts, resource templates and instructions',
    fallback: 'the setting lock.file, else a lock file in the data folder of the workload',
    helpValue: 'FILE',
    field: 'lock_file',
    setting: {
      default: '',
      user: { by: 'lock.file', read: ({ lockFile }: UserSettings) => lockFile },
    },
  },
  drift: {
    flag: 'drift',
    is: 'text',
    group: 'WORKLOAD',
    choices: DRIFT_REACTIONS,
    description:
      'reaction to a difference from what was approved: warn reports it; hold also hides it; refuse does not run',
    fallback: 'hold for a workload in a lock file, else warn',
    helpValue: 'warn|hold|refuse',
    field: 'drift',
    setting: {
      default: '',
      user: { by: 'lock.drift', read: ({ drift }: UserSettings) => drift },
    },
  },
  frozen: {
    flag: 'frozen',
    is: 'truth',
    group: 'WORKLOAD',
    description: 'do not run unless the workload is in the lock file and nothing differs from it',
    fallback: 'false',
    field: 'frozen',
    setting: { default: false },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
