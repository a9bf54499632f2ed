import { PortolanError } from '@portolan/plugin-api';

/**
 * Creates the error for a workload that needs features which the runtime's host does not support. Nothing was
 * started.
 */
export function hostCannot(workload: string, host: string, requirements: readonly string[]): PortolanError {
  const list = requirements.map((one) => `\n  ${one}`).join('');
  return new PortolanError(
    'ERR_RUNTIME_CANNOT',
    'refused',
    `${host} cannot run "${workload}" with its settings:${list}`,
    {
      hint: 'Change these settings, or choose another runtime (PORTOLAN_RUNTIME).',
    },
  );
}
