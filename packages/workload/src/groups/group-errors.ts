import { PortolanError } from '@portolan/plugin-api';

/** There is no group of this name. */
export function groupUnknown(name: string): PortolanError {
  return new PortolanError('ERR_GROUP_UNKNOWN', 'mistake', `group '${name}' does not exist`, {
    hint: 'Make it with `portolan group create`; `portolan group list` shows those that there are.',
  });
}

/** A group of this name exists already. */
export function groupExistsAlready(name: string): PortolanError {
  return new PortolanError('ERR_RESOURCE_EXISTS', 'conflict', `group '${name}' already exists`, {
    hint: 'Choose another name.',
  });
}

/** The group that workloads are in when nobody says otherwise. */
export function groupStays(name: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `group '${name}' cannot be removed`, {
    hint: 'Workloads without a group of their own are in it; remove them with `portolan rm --group default`.',
  });
}

/** A group's file is damaged. */
export function groupDamaged(file: string, fault: string): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${file} is no group: ${fault}.`, {
    hint: 'Correct the file, or delete it and make the group again.',
  });
}
