import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

export function clientUnknown(id: string, known: readonly string[]): PortolanError {
  return new PortolanError('ERR_BAD_ARGUMENT', 'mistake', `There is no client ${quote(id)}.`, {
    hint: `Clients are ${known.join(', ')}.`,
  });
}
