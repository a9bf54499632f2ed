import { Args } from '@oclif/core';

export const settingKey = {
  key: Args.string({
    description: 'setting, such as gateway.image; `portolan config list --all` shows them',
    required: true,
    ignoreStdin: true,
  }),
};
