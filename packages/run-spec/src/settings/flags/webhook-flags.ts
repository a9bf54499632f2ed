import type { FlagRow } from '../flag-row.ts';

export const WEBHOOK_FLAGS = {
  webhookConfig: {
    flag: 'webhook-config',
    is: 'texts',
    group: 'TOOLS AND POLICY',
    description: 'YAML or JSON file with webhooks that decide about each call; repeatable, merged by name',
    helpValue: 'FILE',
    field: 'validating_webhooks',
    names: 'files',
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
