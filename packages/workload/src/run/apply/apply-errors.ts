import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

/** Creates the error for secrets of a workloads file that the secret store does not have. */
export function fileSecretsMissing(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SECRET_NOT_FOUND',
    'absent',
    `The secret store lacks secrets that the file names: ${names.join(', ')}.`,
    {
      hint: `Store each with \`portolan secret set NAME\`, such as \`portolan secret set ${names[0] ?? 'NAME'}\`.`,
    },
  );
}

/** Creates the error for a workload of the file that another workloads file created. */
export function workloadOfOtherFile(name: string, other: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_EXISTS',
    'conflict',
    `${name} is a workload of the file named ${quote(other)}; expected a name that no other file uses.`,
    { hint: `Rename the workload in one of the two files, or remove it with \`portolan rm ${name}\`.` },
  );
}

/** Creates the error for workloads or a file that changed after the plan was shown. */
export function planOutdated(file: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_CHANGED',
    'conflict',
    `${file} or one of its workloads has changed since the plan was shown; nothing was applied.`,
    { hint: 'Run the command again to see the new plan.' },
  );
}

/** Creates the error for inputs of a registry entry that the file does not have. */
export function planInputsMissing(name: string, inputs: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_INPUTS_MISSING',
    'mistake',
    `${name} lacks values that its registry entry requires: ${inputs.join(', ')}.`,
    { hint: 'Add them to the file, as `env` or `secrets` of the workload.' },
  );
}

/** Creates the error for a server of a client with the name of a workload that has other settings. */
export function workloadDiffers(name: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_EXISTS',
    'conflict',
    `A workload ${name} with other settings exists; expected a free name, or the same settings.`,
    {
      hint: `Rename the server in the file of its client, or remove the workload with \`portolan rm ${name}\`.`,
    },
  );
}
