import type { MergedSettings } from './merged-settings.ts';
import type { MergeInput } from './merge-input.ts';
import { pickSetting } from './setting.ts';

type ProxySettings = Pick<MergedSettings, 'targetHost'>;

export function mergeProxy({ request }: MergeInput, url: URL | undefined): ProxySettings {
  const { flags } = request;
  return {
    targetHost: pickSetting(
      [
        { value: url?.hostname.replace(/^\[|\]$/g, ''), from: 'rule', by: 'the host of the URL' },
        { value: flags.targetHost, from: 'flag', by: '--target-host' },
      ],
      '127.0.0.1',
    ),
  };
}
