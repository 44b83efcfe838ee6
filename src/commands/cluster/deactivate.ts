import { deactivation } from '../state-forms.ts';

export const deactivate = deactivation('deactivate', 'CLUSTER_DEACTIVATE');
