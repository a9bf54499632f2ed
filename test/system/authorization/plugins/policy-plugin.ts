import { BUILT_IN_TAPS, type Plugin, PortolanError } from '@portolan/plugin-api';

/** Changes roles, hides entries and changes publications, each where a test sets a mark. */
export default {
  name: 'policy-plugin',
  apiVersion: 2,
  apply({ hooks }) {
    hooks.resolveRoles.tapPromise('policy-plugin', async (roles, { subject, claims }) => {
      await Promise.resolve();
      if (claims['suspended'] === 'yes') return [];
      if (subject === 'broken') throw new Error('the directory is down');
      return claims['onCall'] === 'yes' ? [...roles, 'manageEntries'] : roles;
    });
    // This tap runs before the rules of the configuration, so the caller has no roles yet.
    hooks.resolveRoles.tap(
      { name: 'policy-plugin', stage: BUILT_IN_TAPS.resolveRoles.stage - 1 },
      (roles, { claims }) => (claims['early'] === 'yes' && roles.length === 0 ? ['manageSources'] : roles),
    );
    // The result depends on the caller, and the plugin does not declare how, so the server must not share
    // pages.
    hooks.filterEntries.tap('policy-plugin', (entries, caller) =>
      entries.filter(({ document }) => document['title'] !== 'Draft' || caller?.claims['sees'] === 'drafts'),
    );
    // This tap runs after the publishing rules, which check the publication before it and its result again.
    hooks.beforePublish.tap(
      { name: 'policy-plugin', stage: BUILT_IN_TAPS.beforePublish.stage + 1 },
      (request) => {
        const { document } = request;
        switch (document['description']) {
          case 'late refuse':
            throw new PortolanError('ERR_LATE_RULE', 'mistake', 'Nothing of this kind.', { hint: 'Wait.' });
          case 'late label other':
            return { ...request, claims: { org: 'other' } };
          case 'late unlabel':
            return { ...request, claims: {} };
          case 'late rename':
            return { ...request, document: { ...document, name: 'not a name' } };
          default:
            return request;
        }
      },
    );
    hooks.beforePublish.tap('policy-plugin', (request) => {
      const { document } = request;
      switch (document['description']) {
        case 'refuse':
          throw new PortolanError(
            'ERR_HOUSE_RULE',
            'mistake',
            'The description breaks a rule of the house.',
            {
              hint: 'Describe what it does.',
            },
          );
        case 'fail':
          throw new Error('a secret of the plugin');
        case 'label other':
          return { ...request, claims: { org: 'other' } };
        case 'label own':
          return { ...request, claims: { org: 'acme', team: 'eng' } };
        case 'unlabel':
          return { ...request, claims: {} };
        case 'rename':
          return { ...request, document: { ...document, name: 'not a name' } };
        case 'move':
          return { ...request, source: 'abroad' };
        default:
          return request;
      }
    });
  },
} satisfies Plugin;
