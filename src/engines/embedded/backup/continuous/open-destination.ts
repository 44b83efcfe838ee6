/** Opens the destination that a URL names. */
import { type Destination, folderOf } from './destination.ts';
import { FolderDestination } from './folder-destination.ts';

/** Returns the destination of a URL in which `urlMistake` has found nothing. */
export function openDestination(url: string): Destination {
  return new FolderDestination(folderOf(url));
}
