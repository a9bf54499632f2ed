// Serves the repositories of a folder with `git http-backend` in a separate process, so that its CPU time is
// separate. Prints its address.
import { GitServer } from '../../plugins/source-git/test/git-server.ts';

const [folder = '.'] = process.argv.slice(2);
const server = await GitServer.start(folder);
process.stdout.write(`${server.url}\n`);
