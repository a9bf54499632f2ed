import { settingsConflict } from './settings-errors.ts';
import type { NetworkMode } from '../permissions/permission-profile.ts';
import type { Setting } from './setting.ts';

export interface IsolationFacts {
  readonly network: NetworkMode;
  /** The explicit request; undefined for none. */
  readonly asked: boolean | undefined;
  readonly publishes: boolean;
}

/**
 * Returns whether the network is isolated. Isolation is the default, and dropped where it is impossible.
 * Throws ERR_SETTINGS_CONFLICT for an explicit but impossible request, and for published ports on the host's
 * own network.
 */
export function decideIsolation({ network, asked, publishes }: IsolationFacts): Setting<boolean> {
  const named = network.mode === 'named' ? network.name : network.mode;
  if (network.mode === 'host' && publishes) {
    throw settingsConflict(
      '--publish',
      '--network host',
      'every port of the container is one of the host already',
    );
  }
  if (network.mode === 'none') {
    return { value: false, from: 'rule', by: 'there is no network to isolate' };
  }
  if (network.mode === 'bridge') {
    return asked === undefined
      ? { value: true, from: 'default', by: 'built in' }
      : { value: asked, from: 'flag', by: '--isolate-network' };
  }
  if (asked === true) {
    throw settingsConflict('--isolate-network', `--network ${named}`, 'that network cannot be isolated');
  }
  return asked === false
    ? { value: false, from: 'flag', by: '--isolate-network' }
    : { value: false, from: 'rule', by: `the network ${named} cannot be isolated` };
}
