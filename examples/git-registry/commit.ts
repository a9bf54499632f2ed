// Commits the files in `servers` to the repository of this example, like a pull request: node commit.ts
// MESSAGE
import { commitServers } from './repository.ts';

const [message = 'A change'] = process.argv.slice(2);
await commitServers(message);
console.log(`committed: ${message}`);
