import { disk } from '../../views/plan/units.ts';
import { fail, ok } from '../finding.ts';
import { given, type NodeCheck } from './check.ts';

const remedy = 'Put it there, or say `via: rsync` where it is on this machine.';

export const inputsCheck: NodeCheck = {
  name: 'inputs',
  quick: false,
  needed: ({ inputs }) => inputs.some(({ model }) => !model),
  of: ({ facts }, needs) =>
    needs.inputs
      .filter(({ model }) => !model)
      .flatMap(({ name }) => {
        const answer = facts.paths[name];
        if (answer !== undefined && 'error' in answer) return [fail(`${name}: ${answer.error}`, remedy)];
        return given(answer, name, ({ readable, bytes }) =>
          readable
            ? [ok(`${name}${bytes === null ? '' : `, ${disk(bytes)}`}`)]
            : [fail(`${name} may not be read by this user`, 'Give this user the right to read it.')],
        );
      }),
};

export const modelsCheck: NodeCheck = {
  name: 'models',
  quick: false,
  needed: ({ inputs }) => inputs.some(({ model }) => model),
  of: ({ facts }, needs) =>
    needs.inputs
      .filter(({ model }) => model)
      .flatMap(({ name }) =>
        given(facts.models[name], name, ({ problems, bytes }) =>
          problems.length === 0
            ? [ok(`${name}, ${disk(bytes)} of weights`)]
            : [
                fail(
                  `${name}: ${problems.slice(0, 4).join('; ')}${problems.length > 4 ? `; and ${problems.length - 4} more` : ''}`,
                  'Fetch or copy the model again, whole.',
                ),
              ],
        ),
      ),
};
