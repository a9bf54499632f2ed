import { PortolanError } from '@portolan/plugin-api';
import { answered, shortened } from '../errors.ts';

/** The caller lacks the role that an operation needs. */
export function roleMissing(role: string): PortolanError {
  return new PortolanError('ERR_ROLE_MISSING', 'refused', 'forbidden: insufficient permissions', {
    hint: `This needs the role ${role === 'superAdmin' ? role : `${role} or superAdmin`}; GET /v1/me shows your roles.`,
  });
}

/** An explanation about somebody else was asked for. */
export function explanationForbidden(): PortolanError {
  return new PortolanError(
    'ERR_EXPLANATION_FORBIDDEN',
    'refused',
    'Only a superAdmin may ask about another caller.',
    { hint: 'Leave "caller" out to ask about yourself.' },
  );
}

/** Nobody is logged in, and the resource is about whoever is. */
export function authenticationRequired(): PortolanError {
  return answered(new PortolanError('ERR_AUTHENTICATION_REQUIRED', 'refused', 'authentication required'), {
    status: 401,
  });
}

/** The registry does not exist. */
export function registryNotFound(name: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_NOT_FOUND', 'absent', `There is no registry "${shortened(name)}".`, {
    hint: 'GET /registry lists the registries of this server.',
  });
}

/** The caller does not pass the gate of a registry. */
export function registryForbidden(name: string): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_FORBIDDEN',
    'refused',
    `forbidden: insufficient claims for registry "${name}"`,
  );
}

/** The entry, or this version of it, does not exist or is hidden from the caller. */
export function entryNotFound(): PortolanError {
  return new PortolanError('ERR_ENTRY_NOT_FOUND', 'absent', 'not found');
}
