import { nearest, PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

export function settingUnknown(key: string, known: readonly string[]): PortolanError {
  const meant = nearest(key, known);
  const all = known.join(', ');
  return new PortolanError('ERR_SETTING', 'mistake', `There is no setting ${quote(key)}.`, {
    hint: meant === undefined ? `Settings are ${all}.` : `Did you mean ${meant}? Settings are ${all}.`,
  });
}

export function settingUnset(key: string, command = 'list'): PortolanError {
  return new PortolanError('ERR_NAME_UNKNOWN', 'absent', `${key} is not set.`, {
    hint: `\`portolan config ${command}\` shows what is set.`,
  });
}

/**
 * Creates the error for a credential file of builds with invalid content. The message does not contain the
 * content.
 */
export function authFileInvalid(name: string, problem: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `The content of ${name} is invalid: ${problem}.`, {
    hint: `Pipe the file in: \`portolan config set-build-auth-file ${name} --stdin < FILE\`.`,
  });
}
