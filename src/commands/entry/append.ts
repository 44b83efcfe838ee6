import { additionCommand } from '../add-to.ts';

export const append = additionCommand({
  name: 'append',
  request: 'CACHE_APPEND',
  summary: 'Appends to a string or list, or sets members of a map.',
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=append&key=colour&val=dish', response: true },
});
