import { parseHost } from '../parse/listen-host.ts';
import type { MergedSettings, MergeInput } from './merged-settings.ts';
import { mapped, pickSetting } from './setting.ts';

type ProxySettings = Pick<MergedSettings, 'targetHost'>;

/** Settings of the proxy in front that other settings have a say in. Throws ERR_HOST. */
export function mergeProxy({ request }: MergeInput, url: URL | undefined): ProxySettings {
  const { flags } = request;
  return {
    targetHost: pickSetting(
      [
        { value: url?.hostname.replace(/^\[|\]$/g, ''), from: 'rule', by: 'the host of the URL' },
        {
          value: mapped(flags.targetHost, (text) => parseHost(text, '--target-host')),
          from: 'flag',
          by: '--target-host',
        },
      ],
      '127.0.0.1',
    ),
  };
}
