import { PortolanError } from '@portolan/plugin-api';

export function groupUnknown(name: string): PortolanError {
  return new PortolanError('ERR_GROUP_UNKNOWN', 'mistake', `group '${name}' does not exist`, {
    hint: 'Create it with `portolan group create`; `portolan group list` shows the existing groups.',
  });
}

export function groupExistsAlready(name: string): PortolanError {
  return new PortolanError('ERR_RESOURCE_EXISTS', 'conflict', `group '${name}' already exists`, {
    hint: 'Choose another name.',
  });
}

/** Creates the error for an attempt to remove the default group, which always exists. */
export function groupStays(name: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `group '${name}' cannot be removed`, {
    hint: 'It is the default group. To remove its workloads, use `portolan rm --group default`.',
  });
}

export function groupDamaged(file: string, fault: string): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${file} is not a valid group: ${fault}.`, {
    hint: 'Correct the file, or delete it and create the group again.',
  });
}
