"""Speed and quality, each figure beside one measured in the same run or published; results in results/."""
