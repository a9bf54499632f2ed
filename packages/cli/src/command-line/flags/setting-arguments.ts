import { Args } from '@oclif/core';

/** `KEY`: a setting of the user's `config.yaml`. */
export const settingKey = {
  key: Args.string({
    description: 'setting, such as gateway.image; `portolan config list --all` shows them',
    required: true,
    ignoreStdin: true,
  }),
};
