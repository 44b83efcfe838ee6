import { additionCommand } from '../add-to.ts';

export const prepend = additionCommand({
  name: 'prepend',
  request: 'CACHE_PREPEND',
  summary: 'Prepends to a string or list, or adds missing members to a map.',
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=prepend&key=colour&val=dark-', response: true },
});
