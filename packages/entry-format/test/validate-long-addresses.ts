// Validates documents with addresses of 4 MB, and prints what was thrown and what is an address.
import { validateServerDocument } from '@portolan/entry-format';
import { serverDocument } from './documents.ts';

const length = 4 * 1024 * 1024 - 1000;
for (const piece of ['a:', '@', 'a.', '/a', '%20']) {
  for (const start of ['', 'a:', 'https://', 'https://acme.example/']) {
    const websiteUrl = `${start}${piece.repeat(length / piece.length)}`;
    try {
      const [issue] = validateServerDocument(serverDocument({ websiteUrl }), 'sync');
      if (issue?.reference !== 'schema:format') console.log(start, piece, issue);
    } catch (error) {
      console.log(start, piece, error);
    }
  }
}
