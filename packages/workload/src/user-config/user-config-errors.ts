import { PortolanError } from '@portolan/plugin-api';
import { quote } from '../parse/text-faults.ts';

/** No setting has this name. */
export function settingUnknown(key: string, known: readonly string[]): PortolanError {
  return new PortolanError('ERR_SETTING_UNKNOWN', `There is no setting ${quote(key)}.`, {
    hint: `Settings are ${known.join(', ')}.`,
  });
}

/** The setting has no value. */
export function settingUnset(key: string): PortolanError {
  return new PortolanError('ERR_SETTING_UNSET', `${key} is not set.`, {
    hint: '`portolan config list` shows what is.',
  });
}
