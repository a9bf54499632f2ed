import { PortolanError } from '@portolan/plugin-api';
import { answered, shortened } from '../../errors.ts';

/** Creates the error for a caller without the required role. */
export function roleMissing(role: string): PortolanError {
  return new PortolanError('ERR_ROLE_MISSING', 'refused', 'forbidden: insufficient permissions', {
    hint: `This needs the role ${role === 'superAdmin' ? role : `${role} or superAdmin`}; GET /v1/me shows your roles.`,
  });
}

/** Creates the error for a request to explain another caller's access. */
export function explanationForbidden(): PortolanError {
  return new PortolanError(
    'ERR_EXPLANATION_FORBIDDEN',
    'refused',
    'Only a superAdmin may explain the access of another caller.',
    { hint: 'Omit "caller" to explain your own access.' },
  );
}

/** Creates the error for an unauthenticated request to a resource about the caller. */
export function authenticationRequired(): PortolanError {
  return answered(new PortolanError('ERR_AUTHENTICATION_REQUIRED', 'refused', 'authentication required'), {
    status: 401,
  });
}

/** Creates the error for a registry that does not exist. */
export function registryNotFound(name: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_NOT_FOUND', 'absent', `There is no registry "${shortened(name)}".`, {
    hint: 'GET /registry lists the registries of this server.',
  });
}

/** Creates the error for a caller who does not pass a registry's gate. */
export function registryForbidden(name: string): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_FORBIDDEN',
    'refused',
    `forbidden: insufficient claims for registry "${name}"`,
  );
}

/** Creates the error for an entry or version that is absent or hidden from the caller. */
export function entryNotFound(): PortolanError {
  return new PortolanError('ERR_ENTRY_NOT_FOUND', 'absent', 'not found');
}
